"""The neural network: tokenizer, transformer blocks, column heads and the nested denoiser."""
