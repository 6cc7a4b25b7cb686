import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.OutputArchive;
import org.bytedeco.pytorch.SequentialImpl;
import org.bytedeco.pytorch.global.torch;

/**
 * Makes javacpp.pt with JavaCPP's PyTorch (2.10), and prints the model's value for ones:
 *
 * <pre>java -cp 'LIBRARIES/*' JavaCppModel.java</pre>
 */
public class JavaCppModel {
  public static void main(String[] args) {
    torch.manual_seed(1);
    SequentialImpl model = new SequentialImpl();
    model.push_back(new LinearImpl(3, 2));
    model.push_back(new LinearImpl(2, 1));
    OutputArchive archive = new OutputArchive();
    model.save(archive);
    archive.save_to("javacpp.pt");
    System.out.println(model.forward(torch.ones(1, 3)).item_float());
  }
}
