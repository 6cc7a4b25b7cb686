/** A model that answers one request at a time, for one thread. */
interface Served extends AutoCloseable {
  /** The scores of a row of 784 numbers. */
  float[] answer(float[] row) throws Exception;

  @Override
  void close();

  /** Opens the model of a folder for a thread. */
  interface Model extends AutoCloseable {
    Served forThread() throws Exception;

    @Override
    void close();
  }
}
