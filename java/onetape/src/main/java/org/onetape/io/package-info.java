/**
 * Files of tensors: PyTorch's own ({@link org.onetape.io.Serialization}), safetensors, and NumPy's
 * npy and npz, the same that Python reads and writes.
 */
package org.onetape.io;
