import ai.djl.inference.Predictor;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.repository.zoo.Criteria;
import ai.djl.repository.zoo.ZooModel;
import ai.djl.translate.NoBatchifyTranslator;
import ai.djl.translate.TranslatorContext;
import java.nio.file.Path;

/** The same model as TorchScript, run by DJL's PyTorch engine with a predictor for each thread. */
final class DjlModel implements Served.Model {
  private static final class Rows implements NoBatchifyTranslator<float[], float[]> {
    @Override
    public NDList processInput(TranslatorContext context, float[] row) {
      return new NDList(context.getNDManager().create(row, new Shape(1, row.length)));
    }

    @Override
    public float[] processOutput(TranslatorContext context, NDList output) {
      return output.singletonOrThrow().toFloatArray();
    }
  }

  private final ZooModel<float[], float[]> model;

  DjlModel(Path folder) throws Exception {
    model =
        Criteria.builder()
            .setTypes(float[].class, float[].class)
            .optModelPath(folder)
            .optModelName("mlp")
            .optEngine("PyTorch")
            .optTranslator(new Rows())
            .build()
            .loadModel();
  }

  @Override
  public Served forThread() {
    Predictor<float[], float[]> predictor = model.newPredictor();
    return new Served() {
      @Override
      public float[] answer(float[] row) throws Exception {
        return predictor.predict(row);
      }

      @Override
      public void close() {
        predictor.close();
      }
    };
  }

  @Override
  public void close() {
    model.close();
  }
}
