"""How Sphinx makes a site of these pages: ``make docs``.

The pages stay plain Markdown, for reading in the repository; what only a site has (the tree of
pages, the reference from the docstrings, executed notebooks) is in ``index.md``,
``reference/api.md`` and ``notebooks/``. Nothing in a built page is fetched from elsewhere:
formulas are MathML, plots are pictures.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import latex2mathml.converter
from docutils import nodes

import sdv_tabdar

project = 'sdv_tabdar'
author = 'the sdv_tabdar authors'
version = release = sdv_tabdar.__version__

extensions = [
    'myst_nb',
    'sphinx.ext.autodoc',
    'sphinx.ext.napoleon',
    'sphinx.ext.viewcode',
    'sphinx_copybutton',
]
# README.md is the list of the pages for the repository; the site has index.md.
exclude_patterns = ['README.md', '**/.ipynb_checkpoints']
# A name in single backticks is code in docstrings, as in Markdown.
default_role = 'code'

myst_enable_extensions = ['dollarmath']
myst_heading_anchors = 4

# Notebooks are stored without results, and run when the site is built.
nb_execution_mode = 'auto'
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_show_tb = True
nb_merge_streams = True
os.environ['OMP_NUM_THREADS'] = '1'

autodoc_typehints = 'none'  # the docstrings tell the types
autodoc_member_order = 'bysource'
autodoc_default_options = {'members': True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = 'furo'
html_title = f'sdv_tabdar {release}'
html_static_path = ['site']
html_css_files = ['site.css']
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_math_renderer = 'mathml'


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(latex2mathml.converter.convert(node.astext()))
    raise nodes.SkipNode


def _display(translator: Any, node: nodes.math_block) -> None:
    mathml = latex2mathml.converter.convert(node.astext(), display='block')
    translator.body.append(f'<div class="formula">{mathml}</div>\n')
    raise nodes.SkipNode


def _without_ways_out(app: Any, page: str, source: list[str]) -> None:
    """Links to Markdown pages outside this folder become text: the site does not have them."""
    docs = Path(app.srcdir)
    folder = (docs / page).parent

    def text_or_link(link: re.Match[str]) -> str:
        inside = (folder / link[2]).resolve().is_relative_to(docs)
        return link[0] if inside else link[1]

    source[0] = re.sub(r'\[([^\]]+)\]\(([./\w-]+\.md)(?:#[\w-]+)?\)', text_or_link, source[0])


def setup(app: Any) -> None:
    """Formulas as MathML, which browsers show without a script; no links that lead out."""
    app.connect('source-read', _without_ways_out)
    app.add_html_math_renderer(
        'mathml', inline_renderers=(_inline, None), block_renderers=(_display, None)
    )
