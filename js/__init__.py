"""Builds the package for JavaScript in this folder: kernels as WebAssembly, tables, one module."""
