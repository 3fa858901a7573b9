#pragma once

#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tessera {

class Database;

/// A prepared statement of SQL. Parameters and columns count from 0.
class Statement {
 public:
  Statement(const Database& database, sqlite3_stmt* handle);
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::int64_t integer);
  Statement& bind(int parameter, double number);
  Statement& bind(int parameter, const std::optional<double>& number);

  /// Goes to the next row; whether there is one. Without one it is ready for another round.
  Result<bool> step();
  /// One round, all of whose rows are visited, until `visit` says no.
  Result<void> each(const std::function<Result<bool>(const Statement& row)>& visit);
  /// One round of a statement that gives no rows.
  Result<void> run();
  /// Ready for another round, in which what was bound before stays so.
  void reset();

  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double number(int column) const;
  std::optional<double> optional_number(int column) const;

 private:
  const Database* database_;
  sqlite3_stmt* handle_;
};

/// A connection to one file of SQLite, for one thread at a time. Every refusal is `PATH: reason`.
class Database {
 public:
  enum class Absent { Refuse, Make };
  /// A file that is absent is made, empty. Others may keep the file for as long as `patience`.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Absent absent,
                                                std::chrono::milliseconds patience);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  const std::string& path() const { return path_; }
  std::chrono::milliseconds patience() const { return patience_; }

  /// The first 100 bytes as they lie in the file, or fewer; takes no lock and makes no file.
  Result<std::string> header() const;
  /// Whether the file, or the folder it lies in, cannot be written.
  bool is_read_only() const;

  /// One or more statements that give nothing.
  Result<void> run(const std::string& sql) const;
  Result<Statement> prepare(const std::string& sql) const;
  /// The statement of this text, prepared once and ready for a round.
  Result<Statement*> kept(const std::string& sql) const;
  /// The only value of the only row.
  Result<std::int64_t> integer(const std::string& sql) const;
  /// How many rows the last statement changed.
  std::int64_t changes() const;

  /// Why the last call was refused.
  Error refusal() const;
  /// Whether that was because others use the file.
  bool is_busy() const;

 private:
  Database(std::string path, sqlite3* handle, std::chrono::milliseconds patience);

  std::string path_;
  sqlite3* handle_;
  std::chrono::milliseconds patience_;
  mutable std::map<std::string, Statement> kept_;
};

/// All or none of what is written while it lives; none unless committed.
class Transaction {
 public:
  /// When it waits for other writers. One that has read before its first change is refused when
  /// another has written meanwhile.
  enum class Lock { Now, WithChange };
  static Result<Transaction> begin(const Database& database, Lock lock = Lock::Now);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  /// The last call.
  Result<void> commit();

 private:
  explicit Transaction(const Database& database) : database_(&database) {}
  const Database* database_;  // null when there is nothing to undo
};

}  // namespace tessera
