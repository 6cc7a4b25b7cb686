/**
 * Tensors with automatic differentiation for the JVM.
 *
 * <p>{@link org.onetape.Tensor} carries the operators, spelled as in PyTorch ({@code
 * requires_grad_}, {@code index_select}); {@link org.onetape.TorchTensor} has the same operators in
 * Java's spelling. The static functions are in {@link org.onetape.global.torch}.
 *
 * <p>Tensors own native memory. It is given back when the innermost {@link org.onetape.MemoryScope}
 * that was open when they were made is closed, when {@link org.onetape.Tensor#close()} is called,
 * or when the garbage collector finds them unreachable, whichever comes first. The other classes of
 * this package are plain Java objects.
 */
package org.onetape;
