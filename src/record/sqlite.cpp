#include "record/sqlite.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sqlite3.h>
#include <utility>

namespace tessera {
namespace {

/// The file itself or the log beside it, as SQLite has it; null when it is not open.
sqlite3_file* open_file(sqlite3* handle, int which) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle, "main", which, static_cast<void*>(&file));
  return file == nullptr || file->pMethods == nullptr ? nullptr : file;
}

/// The last error of the system on either of them; 0 when there was none.
int last_error(sqlite3* handle) {
  if (const int number = sqlite3_system_errno(handle); number != 0) return number;
  for (const int which : {SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER}) {
    int number = 0;
    if (sqlite3_file* file = open_file(handle, which); file != nullptr)
      file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    if (number != 0) return number;
  }
  return 0;
}

/// A reason of the system where there is one; SQLite's own words else.
std::string reason_of(sqlite3* handle) {
  switch (sqlite3_errcode(handle) & 0xff) {
    case SQLITE_FULL:
      return std::strerror(ENOSPC);
    case SQLITE_BUSY:
      return "kept locked by another process";
    case SQLITE_NOTADB:
      return "not a store of Tessera";
    case SQLITE_CORRUPT:
      return std::string("damaged: ") + sqlite3_errmsg(handle);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      if (const int number = last_error(handle); number != 0) return std::strerror(number);
      [[fallthrough]];
    default:
      return sqlite3_errmsg(handle);
  }
}

/// Without the meanings that SQLite gives to names like `:memory:`.
std::string plain_path(const std::string& path) {
  std::error_code unreadable;
  return std::filesystem::absolute(path, unreadable).string();
}

}  // namespace

Statement::Statement(const Database& database, sqlite3_stmt* handle)
    : database_(&database), handle_(handle) {}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::bind(int parameter, std::string_view text) {
  const int code = sqlite3_bind_text64(handle_, parameter + 1, text.data(), text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  check(code == SQLITE_OK, "a text that a statement takes");
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t integer) {
  check(sqlite3_bind_int64(handle_, parameter + 1, integer) == SQLITE_OK,
        "an integer that a statement takes");
  return *this;
}

Statement& Statement::bind(int parameter, double number) {
  check(sqlite3_bind_double(handle_, parameter + 1, number) == SQLITE_OK,
        "a number that a statement takes");
  return *this;
}

Statement& Statement::bind(int parameter, const std::optional<double>& number) {
  if (number) return bind(parameter, *number);
  check(sqlite3_bind_null(handle_, parameter + 1) == SQLITE_OK, "a null that a statement takes");
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  const Error refusal = database_->refusal();
  reset();
  return refusal;
}

Result<void> Statement::each(const std::function<Result<bool>(const Statement& row)>& visit) {
  while (true) {
    const Result<bool> row = step();
    if (!row) return row.error();
    if (!*row) return {};
    const Result<bool> goes_on = visit(*this);
    if (goes_on && *goes_on) continue;
    reset();
    if (!goes_on) return goes_on.error();
    return {};
  }
}

Result<void> Statement::run() {
  return each([](const Statement&) -> Result<bool> { return true; });
}

void Statement::reset() { sqlite3_reset(handle_); }  // gives the code of the last step once more

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::number(int column) const { return sqlite3_column_double(handle_, column); }

std::optional<double> Statement::optional_number(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL) return std::nullopt;
  return number(column);
}

Database::Database(std::string path, sqlite3* handle, std::chrono::milliseconds patience)
    : path_(std::move(path)), handle_(handle), patience_(patience) {}

Database::~Database() {
  kept_.clear();  // a connection with statements stays open
  sqlite3_close(handle_);
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Absent absent,
                                                 std::chrono::milliseconds patience) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | (absent == Absent::Make ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(plain_path(path).c_str(), &handle, flags, nullptr);
  if (handle == nullptr) throw std::bad_alloc();
  std::unique_ptr<Database> database(new Database(path, handle, patience));
  if (code != SQLITE_OK) return database->refusal();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, static_cast<int>(patience.count()));
  return database;
}

Result<std::string> Database::header() const {
  sqlite3_file* const file = open_file(handle_, SQLITE_FCNTL_FILE_POINTER);
  check(file != nullptr, "a connection has a file");
  sqlite3_int64 size = 0;
  std::array<char, 100> bytes{};
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK)
    return Error{path_ + ": " + std::strerror(EIO)};
  const int count = static_cast<int>(std::min<sqlite3_int64>(size, bytes.size()));
  if (count > 0 && file->pMethods->xRead(file, bytes.data(), count, 0) != SQLITE_OK)
    return Error{path_ + ": " + std::strerror(EIO)};
  return std::string(bytes.data(), static_cast<std::size_t>(count));
}

bool Database::is_read_only() const { return sqlite3_db_readonly(handle_, "main") != 0; }

Result<void> Database::run(const std::string& sql) const {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return refusal();
  return {};
}

Result<Statement> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* handle = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &handle, nullptr) !=
      SQLITE_OK)
    return refusal();
  return Statement(*this, handle);
}

Result<Statement*> Database::kept(const std::string& sql) const {
  auto found = kept_.find(sql);
  if (found == kept_.end()) {
    Result<Statement> statement = prepare(sql);
    if (!statement) return statement.error();
    found = kept_.emplace(sql, *std::move(statement)).first;
  }
  found->second.reset();
  return &found->second;
}

Result<std::int64_t> Database::integer(const std::string& sql) const {
  Result<Statement> statement = prepare(sql);
  if (!statement) return statement.error();
  const Result<bool> row = statement->step();
  if (!row) return row.error();
  check(*row, "a statement that gives a row");
  return statement->integer(0);
}

std::int64_t Database::changes() const { return sqlite3_changes64(handle_); }

Error Database::refusal() const { return {path_ + ": " + reason_of(handle_)}; }

bool Database::is_busy() const { return (sqlite3_errcode(handle_) & 0xff) == SQLITE_BUSY; }

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Result<Transaction> Transaction::begin(const Database& database, Lock lock) {
  const Result<void> begun = database.run(lock == Lock::Now ? "BEGIN IMMEDIATE" : "BEGIN");
  if (!begun) return begun.error();
  return Transaction(database);
}

Transaction::~Transaction() {
  // A refusal means that SQLite has undone everything already.
  if (database_ != nullptr) (void)database_->run("ROLLBACK");
}

Result<void> Transaction::commit() {
  if (Result<void> done = database_->run("COMMIT"); !done) return done;
  database_ = nullptr;
  return {};
}

}  // namespace tessera
