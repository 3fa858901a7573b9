#include "record/store_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace tessera {
namespace {

using Absent = Database::Absent;

constexpr const char* tables = R"(
CREATE TABLE task(
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL,
  family TEXT NOT NULL,
  sizes TEXT NOT NULL);
CREATE INDEX task_by_family ON task(family);
CREATE TABLE target(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE);
CREATE TABLE record(
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  task INTEGER NOT NULL REFERENCES task(id),
  target INTEGER NOT NULL REFERENCES target(id),
  schedule TEXT NOT NULL,
  choices TEXT NOT NULL,
  origin TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  seconds TEXT NOT NULL,
  best_seconds REAL,
  clock TEXT NOT NULL,
  compile_seconds REAL NOT NULL,
  load REAL,
  clock_ghz REAL,
  celsius REAL,
  version TEXT NOT NULL,
  time INTEGER NOT NULL);
CREATE INDEX record_by_speed ON record(task, target, outcome, best_seconds);
)";

Error not_a_store(const std::string& path) { return {path + ": not a store of Tessera"}; }

Error newer(const std::string& path, std::int64_t schema) {
  return {path + ": written by a newer version (schema " + std::to_string(schema) +
          ", this one knows " + std::to_string(store_schema) + ")"};
}

/// Refuses what SQLite should not even look at, and makes the folder of a file to be made.
Result<void> prepare_place(const std::string& path, Absent absent) {
  using Type = std::filesystem::file_type;
  const auto refused = [&](const std::string& reason) { return Error{path + ": " + reason}; };
  if (path.empty()) return Error{"no path of a store given"};
  std::error_code problem;
  const Type type = std::filesystem::status(path, problem).type();
  if (type == Type::none) return refused(problem.message());
  if (type == Type::directory) return refused(std::strerror(EISDIR));
  if (type != Type::regular && type != Type::not_found) return not_a_store(path);
  if (type == Type::not_found && absent == Absent::Refuse) return refused("no such store");
  const std::filesystem::path folder = std::filesystem::absolute(path, problem).parent_path();
  if (folder.empty()) return refused(problem.message());
  if (!std::filesystem::create_directories(folder, problem) && problem)
    return refused(problem.message());
  // The log lies there too. SQLite would go on to read what is not there, and refuse for that.
  if (access(folder.c_str(), W_OK | X_OK) != 0) return refused(std::strerror(errno));
  return {};
}

/// An integer of four bytes, the highest first.
std::int64_t integer_at(const std::string& header, std::size_t offset) {
  std::int64_t value = 0;
  for (std::size_t n = offset; n < offset + 4; ++n)
    value = value * 256 + static_cast<unsigned char>(header[n]);
  return value;
}

/// By the bytes of the file: asking SQLite would already make files beside a foreign one, or fold
/// its log into it. The offsets are those of SQLite's file format.
Result<void> verify_header(const std::string& path, const std::string& header) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  constexpr std::size_t size = 100;
  constexpr std::size_t user_version = 60;
  constexpr std::size_t application_id = 68;
  if (header.size() < size || !header.starts_with(magic) ||
      integer_at(header, application_id) != store_application_id)
    return not_a_store(path);
  const std::int64_t schema = integer_at(header, user_version);
  return schema > store_schema ? newer(path, schema) : Result<void>();
}

/// Once in a file, whoever comes first, and in one transaction, so that no file is half a store.
Result<void> make_tables(const Database& database) {
  Result<Transaction> transaction = Transaction::begin(database, Transaction::Lock::WithChange);
  if (!transaction) return transaction.error();
  // What is removed makes the file smaller. To be said before anything is written, and a change.
  if (Result<void> set = database.run("PRAGMA auto_vacuum = FULL"); !set) return set;
  const Result<std::int64_t> present = database.integer("SELECT count(*) FROM sqlite_schema");
  if (!present) return present.error();
  if (*present > 0) return {};
  const std::string marks = "PRAGMA application_id = " + std::to_string(store_application_id) +
                            "; PRAGMA user_version = " + std::to_string(store_schema) + ";";
  if (Result<void> made = database.run(tables + marks); !made) return made;
  return transaction->commit();
}

/// With a write-ahead log others read while one writes. To change to it nobody else may use the
/// file, which SQLite does not wait for.
Result<void> use_log(const Database& database) {
  const auto deadline = std::chrono::steady_clock::now() + database.patience();
  while (true) {
    Result<Statement> statement = database.prepare("PRAGMA journal_mode = WAL");
    if (!statement) return statement.error();
    const Result<bool> row = statement->step();
    if (row && statement->text(0) == "wal") return {};
    if (row) return Error{database.path() + ": its file system allows no write-ahead log"};
    if (!database.is_busy() || std::chrono::steady_clock::now() > deadline) return row.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// What the header cannot tell while a log stands beside the file.
Result<void> verify_schema(const Database& database) {
  const Result<std::int64_t> schema = database.integer("PRAGMA user_version");
  if (!schema) return schema.error();
  return *schema > store_schema ? newer(database.path(), *schema) : Result<void>();
}

Result<void> make_ready(const Database& database, Absent absent) {
  const std::string& path = database.path();
  const Result<std::string> header = database.header();
  if (!header) return header.error();
  if (header->empty() && absent == Absent::Refuse) return not_a_store(path);
  if (!header->empty())
    if (Result<void> ours = verify_header(path, *header); !ours) return ours;
  if (database.is_read_only())
    return Error{path + ": " + std::strerror(access(path.c_str(), W_OK) != 0 ? errno : EROFS)};
  // Asked of SQLite: a file whose first transaction was cut off is empty again by now.
  const Result<std::int64_t> count = database.integer("SELECT count(*) FROM sqlite_schema");
  if (!count) return count.error();
  if (*count == 0)
    if (Result<void> made = make_tables(database); !made) return made;
  if (Result<void> logged = use_log(database); !logged) return logged;
  if (Result<void> known = verify_schema(database); !known) return known;
  return database.run("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
}

}  // namespace

Result<std::unique_ptr<Database>> open_store_file(const std::string& path, Absent absent,
                                                  std::chrono::milliseconds patience) {
  if (const Result<void> possible = prepare_place(path, absent); !possible) return possible.error();
  std::error_code unreadable;
  const bool was_there = std::filesystem::exists(path, unreadable);
  Result<std::unique_ptr<Database>> database = Database::open(path, absent, patience);
  if (!database) return database;
  const Result<void> ready = make_ready(**database, absent);
  if (ready) return database;
  // Not when it is busy: it may be empty because another process is about to fill it.
  const bool is_left_over = !was_there && !(*database)->is_busy();
  database->reset();
  if (is_left_over && std::filesystem::file_size(path, unreadable) == 0)
    std::filesystem::remove(path, unreadable);
  return ready.error();
}

}  // namespace tessera
