// The stores of onetape.distributed.

#include <pybind11/stl.h>

#include "distributed/file_store.h"
#include "distributed/hash_store.h"
#include "distributed/tcp_store.h"
#include "python/distributed.h"

namespace onetape::python {

namespace py = pybind11;
using namespace distributed;  // NOLINT(google-build-using-namespace)

namespace {

using Keys = std::vector<std::string>;

constexpr const char* kStoreDoc = "A table of keys and values that the processes of a group share.";

py::list bytes_of(const std::vector<std::string>& values) {
  py::list all;
  for (const std::string& value : values) all.append(py::bytes(value));
  return all;
}

void add_store(py::module_& m) {
  py::class_<Store, StoreRef>(m, "Store", kStoreDoc)
      .def(
          "set",
          [](Store& s, const std::string& key, const std::string& value) {
            waiting([&] { s.set(key, value); });
          },
          "set(key, value): the value replaces one that is there.")
      .def(
          "get",
          [](Store& s, const std::string& key) { return py::bytes(waiting([&] { return s.get(key); })); },
          "get(key): the value as bytes; waits until there is one. Raises DistStoreError at the timeout.")
      .def(
          "add",
          [](Store& s, const std::string& key, int64_t amount) {
            return waiting([&] { return s.add(key, amount); });
          },
          "add(key, amount): adds to the number that the key holds, 0 if none; returns the sum.")
      .def("append", [](Store& s, const std::string& key,
                        const std::string& value) { waiting([&] { s.append(key, value); }); })
      .def("compare_set",
           [](Store& s, const std::string& key, const std::string& expected, const std::string& desired) {
             return py::bytes(waiting([&] { return s.compare_set(key, expected, desired); }));
           })
      .def("delete_key",
           [](Store& s, const std::string& key) { return waiting([&] { return s.delete_key(key); }); })
      .def("check", [](Store& s, const Keys& keys) { return waiting([&] { return s.check(keys); }); })
      .def("num_keys", [](Store& s) { return waiting([&] { return s.num_keys(); }); })
      .def("list_keys", [](Store& s) { return waiting([&] { return s.list_keys(); }); })
      .def("multi_get",
           [](Store& s, const Keys& keys) { return bytes_of(waiting([&] { return s.multi_get(keys); })); })
      .def("multi_set", [](Store& s, const Keys& keys,
                           const Keys& values) { waiting([&] { s.multi_set(keys, values); }); })
      .def("has_extended_api", [](const Store&) { return true; })
      .def(
          "wait",
          [](Store& s, const Keys& keys, const py::object& timeout) {
            const Milliseconds time = timeout.is_none() ? s.timeout() : to_milliseconds(timeout);
            waiting([&] { s.wait(keys, time); });
          },
          py::arg("keys"), py::arg("timeout") = py::none(),
          "wait(keys, timeout=None): until all have values. Raises DistStoreError at the timeout.")
      .def("set_timeout", [](Store& s, py::handle timeout) { s.set_timeout(to_milliseconds(timeout)); })
      .def_property_readonly("timeout", [](const Store& s) { return to_timedelta(s.timeout()); });
}

std::shared_ptr<TcpStore> make_tcp_store(const std::string& host, int port, std::optional<int64_t> world_size,
                                         bool is_master, py::handle timeout, bool wait_for_workers,
                                         bool multi_tenant, const std::string& token) {
  const TcpStoreOptions options{
      .port = port,
      .is_server = is_master,
      .world_size = world_size,
      .wait_for_workers = wait_for_workers,
      .multi_tenant = multi_tenant,
      .timeout = timeout.is(py::ellipsis()) ? Store::kDefaultTimeout : to_milliseconds(timeout),
      .token = token};
  return waiting([&] { return std::make_shared<TcpStore>(host, options); });
}

}  // namespace

void add_stores(py::module_& m) {
  add_store(m);
  py::class_<TcpStore, Store, std::shared_ptr<TcpStore>>(m, "TCPStore", kStoreDoc)
      .def(py::init(&make_tcp_store), py::arg("host_name"), py::arg("port"),
           py::arg("world_size") = py::none(), py::arg("is_master") = false,
           // A real timedelta would have every program import datetime.
           py::arg_v("timeout", py::ellipsis(), "datetime.timedelta(seconds=300)"),
           py::arg("wait_for_workers") = true, py::arg("multi_tenant") = false, py::kw_only(),
           py::arg("token") = "")
      .def_property_readonly("host", &TcpStore::host)
      .def_property_readonly("port", &TcpStore::port);
  py::class_<HashStore, Store, std::shared_ptr<HashStore>>(m, "HashStore", kStoreDoc).def(py::init<>());
  py::class_<FileStore, Store, std::shared_ptr<FileStore>>(m, "FileStore", kStoreDoc)
      .def(py::init([](const std::string& path, int64_t world_size) {
             return waiting([&] { return std::make_shared<FileStore>(path, world_size); });
           }),
           py::arg("file_name"), py::arg("world_size") = -1)
      .def_property_readonly("path", &FileStore::path);
  py::class_<PrefixStore, Store, std::shared_ptr<PrefixStore>>(m, "PrefixStore",
                                                               "Another store under keys with a prefix.")
      .def(py::init<std::string, StoreRef>(), py::arg("prefix"), py::arg("store").none(false))
      .def_property_readonly("underlying_store", &PrefixStore::underlying);
}

}  // namespace onetape::python
