package org.onetape.nn;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes the tensor in a field of a {@link Module} a buffer: part of its state, but not trained.
 *
 * <pre>{@code
 * class Mean extends Module {
 *   @Buffer Tensor mean = torch.zeros(3);
 * }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Buffer {}
