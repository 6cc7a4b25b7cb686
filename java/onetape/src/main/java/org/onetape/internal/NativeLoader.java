package org.onetape.internal;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Loads the native library: from the path in the system property {@code onetape.library}, from the
 * directory of the class files, or from the jar. In the last case the library is unpacked once into
 * a cache directory whose name comes from the content, so that versions do not get in each other's
 * way, and which appears in one step, so that processes do not either.
 */
final class NativeLoader {
  /** Read by the library when it is loaded, since the classes may stand in another package. */
  static final String PACKAGE_PROPERTY = "onetape.internal.package";

  private static final String LIBRARY_PROPERTY = "onetape.library";
  private static final String CACHE_PROPERTY = "onetape.cache";
  private static final String LIBRARY = "libonetape.so";

  private NativeLoader() {}

  static void load() {
    System.setProperty(PACKAGE_PROPERTY, NativeLoader.class.getPackageName().replace('.', '/'));
    try {
      String given = System.getProperty(LIBRARY_PROPERTY);
      if (given != null) {
        System.load(Path.of(given).toAbsolutePath().toString());
      } else {
        loadFromClassPath();
      }
    } finally {
      System.clearProperty(PACKAGE_PROPERTY);
    }
  }

  private static void loadFromClassPath() {
    String platform = platform();
    URL url = find(platform + "/" + LIBRARY);
    if (url == null) {
      throw new UnsatisfiedLinkError(
          "onetape has no native library for "
              + platform
              + " on the class path; add the jar for this platform, or name the library with -D"
              + LIBRARY_PROPERTY
              + "=PATH");
    }
    List<Throwable> failures = new ArrayList<>();
    try {
      if (url.getProtocol().equals("file")) {
        System.load(Path.of(url.toURI()).toString());
        return;
      }
      List<Resource> resources = resources(url);
      for (Path cache : caches()) {
        if (tryLoad(cache, resources, failures)) {
          return;
        }
      }
    } catch (Exception e) {
      failures.add(e);
    }
    throw failure(failures);
  }

  private static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return os + "-" + System.getProperty("os.arch").replaceAll("^amd64$", "x86_64");
  }

  private static URL find(String name) {
    String parent = NativeLoader.class.getPackageName().replaceAll("\\.?internal$", "");
    ClassLoader loader = NativeLoader.class.getClassLoader();
    URL url = loader.getResource(parent.replace('.', '/') + "/native/" + name);
    return url != null ? url : loader.getResource("org/onetape/native/" + name);
  }

  /** A file in the jar. */
  private static final class Resource {
    final String name;
    final URL url;
    final long size;
    final long checksum;

    Resource(JarEntry entry, String folder, URL library) throws IOException {
      name = entry.getName().substring(folder.length());
      url = new URL(library, name);
      size = entry.getSize();
      checksum = entry.getCrc();
    }
  }

  /** The libraries that stand beside the given one in its jar. */
  private static List<Resource> resources(URL library) throws IOException {
    URLConnection connection = library.openConnection();
    if (!(connection instanceof JarURLConnection)) {
      throw new IOException("cannot read the native library from " + library);
    }
    connection.setUseCaches(false);
    String name = ((JarURLConnection) connection).getEntryName();
    String folder = name.substring(0, name.length() - LIBRARY.length());
    List<Resource> resources = new ArrayList<>();
    try (JarFile jar = ((JarURLConnection) connection).getJarFile()) {
      for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
        JarEntry entry = entries.nextElement();
        if (entry.getName().startsWith(folder) && !entry.isDirectory()) {
          resources.add(new Resource(entry, folder, library));
        }
      }
    }
    resources.sort(Comparator.comparing(resource -> resource.name));
    return resources;
  }

  private static Set<Path> caches() {
    Set<Path> caches = new LinkedHashSet<>();
    String given = System.getProperty(CACHE_PROPERTY);
    if (given != null) {
      caches.add(Path.of(given));
      return caches;
    }
    String xdg = System.getenv("XDG_CACHE_HOME");
    if (xdg != null && !xdg.isEmpty()) {
      caches.add(Path.of(xdg, "onetape"));
    }
    caches.add(Path.of(System.getProperty("user.home"), ".cache", "onetape"));
    String user = System.getProperty("user.name").replaceAll("[^A-Za-z0-9_.-]", "_");
    caches.add(Path.of(System.getProperty("java.io.tmpdir"), "onetape-" + user));
    return caches;
  }

  private static boolean tryLoad(Path cache, List<Resource> resources, List<Throwable> failures) {
    try {
      Path directory = cache.resolve(key(resources));
      if (!complete(directory, resources)) {
        unpack(cache, directory, resources);
      }
      System.load(directory.resolve(LIBRARY).toAbsolutePath().toString());
      return true;
    } catch (IOException | UnsatisfiedLinkError e) {
      failures.add(e);
      return false;
    }
  }

  private static String key(List<Resource> resources) {
    StringBuilder key = new StringBuilder();
    for (Resource resource : resources) {
      key.append(key.length() == 0 ? "" : "-")
          .append(Long.toHexString(resource.checksum))
          .append(Long.toHexString(resource.size));
    }
    return key.toString();
  }

  private static boolean complete(Path directory, List<Resource> resources) throws IOException {
    for (Resource resource : resources) {
      Path file = directory.resolve(resource.name);
      if (!Files.isRegularFile(file) || Files.size(file) != resource.size) {
        return false;
      }
    }
    return true;
  }

  private static void unpack(Path cache, Path directory, List<Resource> resources)
      throws IOException {
    Files.createDirectories(cache);
    Path fresh = Files.createTempDirectory(cache, "unpacking");
    try {
      for (Resource resource : resources) {
        try (InputStream in = resource.url.openStream()) {
          Files.copy(in, fresh.resolve(resource.name));
        }
      }
      if (Files.exists(directory) && !complete(directory, resources)) {
        delete(directory, resources);
      }
      Files.move(fresh, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      delete(fresh, resources);
      if (!complete(directory, resources)) { // another process may have been faster
        throw e;
      }
    }
  }

  private static void delete(Path directory, List<Resource> resources) throws IOException {
    for (Resource resource : resources) {
      Files.deleteIfExists(directory.resolve(resource.name));
    }
    Files.deleteIfExists(directory);
  }

  private static UnsatisfiedLinkError failure(List<Throwable> failures) {
    StringBuilder text = new StringBuilder("onetape could not load its native library:");
    for (Throwable failure : failures) {
      text.append("\n  ").append(failure);
      if (String.valueOf(failure.getMessage()).contains("failed to map segment")) {
        text.append(" (is the file system mounted with noexec?)");
      }
    }
    text.append("\nName a directory that may hold programs with -D" + CACHE_PROPERTY + "=DIR");
    UnsatisfiedLinkError error = new UnsatisfiedLinkError(text.toString());
    failures.forEach(error::addSuppressed);
    return error;
  }
}
