#include "npz/npz.h"

#include "npz/npy.h"

#include <memory>
#include <span>
#include <string_view>
#include <zip.h>

namespace tessera {
namespace {

constexpr std::string_view ending = ".npy";

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

Result<Archive> open_archive(const std::string& path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const Error refused{path + ": " + zip_error_strerror(&error)};
  zip_error_fini(&error);
  return refused;
}

/// The contents of a member. Grows as they come: what the archive says of their size may be wrong.
Result<std::vector<std::byte>> contents(zip_t* archive, zip_uint64_t index) {
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> member(zip_fopen_index(archive, index, 0),
                                                                 zip_fclose);
  if (member == nullptr) return Error{zip_strerror(archive)};
  std::vector<std::byte> bytes;
  constexpr std::size_t step = 1 << 20;
  while (true) {
    const std::size_t size = bytes.size();
    bytes.resize(size + step);
    const zip_int64_t got = zip_fread(member.get(), bytes.data() + size, step);
    if (got < 0) return Error{zip_file_strerror(member.get())};
    bytes.resize(size + static_cast<std::size_t>(got));
    if (got == 0) return bytes;
  }
}

Result<NamedArray> read_member(zip_t* archive, zip_uint64_t index) {
  const char* const name_of_member = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  if (name_of_member == nullptr) return Error{zip_strerror(archive)};
  std::string name = name_of_member;
  const auto refused = [&](const Error& error) {
    return Error{"'" + name + "': " + error.message};
  };
  if (!name.ends_with(ending)) return refused({"expected a name that ends with .npy"});
  const Result<std::vector<std::byte>> bytes = contents(archive, index);
  if (!bytes) return refused(bytes.error());
  Result<NamedArray> array = parse_npy(*bytes);
  if (!array) return refused(array.error());
  array->name = name.substr(0, name.size() - ending.size());
  return array;
}

/// Adds a member whose contents live until the archive is closed. Without a date, so that the same
/// arrays give the same bytes.
Result<void> add_member(zip_t* archive, const std::string& name, const std::string& bytes) {
  zip_source_t* const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  if (source == nullptr) return Error{zip_strerror(archive)};
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return Error{"'" + name + "': " + zip_strerror(archive)};
  }
  constexpr zip_uint16_t first_of_1980 = (1 << 5) | 1;
  const auto at = static_cast<zip_uint64_t>(index);
  zip_file_set_dostime(archive, at, 0, first_of_1980, 0);
  zip_set_file_compression(archive, at, ZIP_CM_STORE, 0);
  return {};
}

}  // namespace

Result<std::vector<NamedArray>> read_npz(const std::string& path) {
  const Result<Archive> archive = open_archive(path, ZIP_RDONLY);
  if (!archive) return archive.error();
  std::vector<NamedArray> arrays;
  const zip_int64_t count = zip_get_num_entries(archive->get(), 0);
  for (zip_int64_t index = 0; index < count; ++index) {
    Result<NamedArray> array = read_member(archive->get(), static_cast<zip_uint64_t>(index));
    if (!array) return Error{path + ": " + array.error().message};
    arrays.push_back(*std::move(array));
  }
  return arrays;
}

Result<void> write_npz(const std::string& path, const std::vector<NamedArray>& arrays) {
  Result<Archive> archive = open_archive(path, ZIP_CREATE | ZIP_TRUNCATE);
  if (!archive) return archive.error();
  const auto refused = [&](const std::string& reason) { return Error{path + ": " + reason}; };
  std::vector<std::string> files;
  for (const NamedArray& array : arrays) {
    Result<std::string> file = to_npy(array);
    if (!file) return refused("'" + array.name + "': " + file.error().message);
    files.push_back(*std::move(file));
  }
  for (std::size_t n = 0; n < arrays.size(); ++n) {
    const std::string name = arrays[n].name + std::string(ending);
    if (Result<void> added = add_member(archive->get(), name, files[n]); !added)
      return refused(added.error().message);
  }
  if (zip_close(archive->get()) != 0) return refused(zip_strerror(archive->get()));
  (void)archive->release();  // closing has freed it
  return {};
}

}  // namespace tessera
