import static org.onetape.global.torch.ones_like;
import static org.onetape.global.torch.requires_grad;
import static org.onetape.global.torch.tensor;

import org.onetape.BoolOptional;
import org.onetape.Device;
import org.onetape.DeviceOptional;
import org.onetape.DoublePointer;
import org.onetape.LayoutOptional;
import org.onetape.LongPointer;
import org.onetape.MemoryFormatOptional;
import org.onetape.Scalar;
import org.onetape.ScalarTypeOptional;
import org.onetape.Tensor;
import org.onetape.TensorArrayRefOptional;
import org.onetape.TensorOptions;
import org.onetape.global.torch;
import org.onetape.global.torch.DeviceType;
import org.onetape.global.torch.Layout;
import org.onetape.global.torch.MemoryFormat;
import org.onetape.global.torch.ScalarType;

/** The nine numbered listings of the chapter on automatic differentiation, one after the other. */
public class AutogradChapter {
  public static void main(String[] args) {
    // 01. A first graph
    Tensor x = tensor(new DoublePointer(2.0), requires_grad(true));
    Tensor w = tensor(new DoublePointer(3.0), requires_grad(true));
    Tensor b = tensor(new DoublePointer(1.0), requires_grad(true));

    Tensor y = w.mul(x);
    Tensor z = y.add(b);
    System.out.printf("Result z: %s%n", z);

    // 02. No gradient by default
    Tensor x2 = tensor(new DoublePointer(1.0, 2.0, 3.0));
    System.out.printf("\nTensor x: %s%n", x2);
    System.out.printf("x.requires_grad: %b%n", x2.requires_grad());

    Tensor y2 = tensor(new DoublePointer(4.0, 5.0, 6.0), requires_grad(false));
    System.out.printf("\nTensor y: %s%n", y2);
    System.out.printf("y.requires_grad: %b%n", y2.requires_grad());

    // 03. Asking for gradients when making a tensor
    Tensor w2 = tensor(new DoublePointer(0.5, -1.0), requires_grad(true));
    System.out.printf("\nTensor w: %s%n", w2);
    System.out.printf("w2.requires_grad: %b%n", w2.requires_grad());

    // 04. Asking for gradients later
    Tensor b2 = tensor(new DoublePointer(0.1));
    System.out.printf("\nTensor b (before): %s%n", b2);
    System.out.printf("b2.requires_grad (before): %b%n", b2.requires_grad());
    b2.requires_grad_(true);
    System.out.printf("\nTensor b (after): %s%n", b2);
    System.out.printf("b2.requires_grad (after): %b%n", b2.requires_grad());

    // 05. Integers have no gradients
    try {
      var tensorOptions2 =
          new TensorOptions()
              .layout(new LayoutOptional(Layout.Strided))
              .dtype(new ScalarTypeOptional(ScalarType.Long))
              .device(new DeviceOptional(new Device(DeviceType.CPU)))
              .memory_format(new MemoryFormatOptional(MemoryFormat.Contiguous))
              .requires_grad(new BoolOptional(true));
      Tensor int_tensor = torch.tensor(new LongPointer(1L, 2L), tensorOptions2);
      System.out.printf("made: %b%n", int_tensor.requires_grad());

      Tensor result = int_tensor.mul(new Scalar(2.0));
      System.out.printf("result: %b%n", result.requires_grad());
    } catch (RuntimeException e) {
      System.out.printf("\nAn integer tensor refused: %s%n", e.getMessage());
    }

    Tensor float_tensor = tensor(new DoublePointer(1.0, 2.0), requires_grad(true));
    System.out.printf("\nA floating-point tensor made: %b%n", float_tensor.requires_grad());

    // 06. The wish spreads
    Tensor x3 = tensor(new DoublePointer(1.0, 2.0));
    Tensor w3 = tensor(new DoublePointer(0.5, -1.0), requires_grad(true));
    Tensor b3 = tensor(new DoublePointer(0.1), requires_grad(true));

    System.out.printf("\nx3 requires_grad: %b%n", x3.requires_grad());
    System.out.printf("w3 requires_grad: %b%n", w3.requires_grad());
    System.out.printf("b3 requires_grad: %b%n", b3.requires_grad());

    Tensor intermediate = w.mul(x);
    System.out.printf("\nintermediate (w * x) requires_grad: %b%n", intermediate.requires_grad());

    Tensor y3 = intermediate.add(b3);
    System.out.printf("y3 requires_grad: %b%n", y3.requires_grad());

    // 07. What made a tensor
    System.out.printf("\nx3.grad_fn: %s%n", x3.grad_fn());
    System.out.printf("w3.grad_fn: %s%n", w3.grad_fn());
    System.out.printf("b3.grad_fn: %s%n", b3.grad_fn());
    System.out.printf("intermediate.grad_fn: %s%n", intermediate.grad_fn());
    System.out.printf("y3.grad_fn: %s%n", y3.grad_fn());

    // 08. Backward
    Tensor x4 = tensor(new DoublePointer(2.0), requires_grad(true));
    Tensor w4 = tensor(new DoublePointer(3.0), requires_grad(true));
    Tensor b4 = tensor(new DoublePointer(1.0), requires_grad(true));

    Tensor y4 = w4.mul(x4).add(b4);
    Tensor loss = y4.mul(y4);

    System.out.printf("\nGradient for x before backward: %s%n", x4.grad());
    System.out.printf("Gradient for w before backward: %s%n", w4.grad());
    System.out.printf("Gradient for b before backward: %s%n", b4.grad());

    loss.backward();

    System.out.printf("\nGradient for x after backward: %s%n", x4.grad());
    System.out.printf("Gradient for w after backward: %s%n", w4.grad());
    System.out.printf("Gradient for b after backward: %s%n", b4.grad());

    // 09. Backward from several numbers
    Tensor x_vector = tensor(new DoublePointer(2.0, 4.0), requires_grad(true));
    Tensor y_non_scalar = w.mul(x_vector).add(b);

    try {
      y_non_scalar.backward();
    } catch (RuntimeException e) {
      System.out.printf("\nError calling backward() on non-scalar: %s%n", e.getMessage());
    }

    Tensor grad_tensor = ones_like(y_non_scalar);
    y_non_scalar.backward(grad_tensor, new BoolOptional(), true, new TensorArrayRefOptional());

    System.out.printf(
        "Gradient for x_vector after y_non_scalar.backward(gradient=...): %s%n", x_vector.grad());
    System.out.printf("Gradient for w after y_non_scalar.backward(gradient=...): %s%n", w.grad());
  }
}
