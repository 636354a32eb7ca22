"""Random numbers, devices, threads, CUDA graphs, memory and progress bars."""
