#include "record/store.h"

#include "base/text.h"
#include "record/record_row.h"
#include "record/store_file.h"

#include <utility>

namespace tessera {

struct RecordStore::State {
  std::unique_ptr<Database> database;
};

namespace {

constexpr const char* insert_task =
    "INSERT INTO task(fingerprint, text, family, sizes) VALUES(?1, ?2, ?3, ?4) "
    "ON CONFLICT(fingerprint) DO UPDATE SET text = ?2, family = ?3, sizes = ?4 "
    "WHERE text <> ?2 OR family <> ?3 OR sizes <> ?4";

constexpr const char* insert_target =
    "INSERT INTO target(text) VALUES(?) ON CONFLICT(text) DO NOTHING";

/// From the outside in, so that a filter leaves few rows for the next.
constexpr const char* by_task = "task CROSS JOIN target CROSS JOIN record ";
constexpr const char* of_pair = "record.task = task.id AND record.target = target.id";

/// Conditions on rows of `task` and `target`, with their parameters ?1 and ?2.
std::string condition(const RecordStore::Filter& filter) {
  std::string text = "true";
  if (!filter.task.empty()) text += " AND task.fingerprint = ?1";
  if (!filter.target.empty()) text += " AND target.text = ?2";
  return text;
}

void bind(Statement& statement, const RecordStore::Filter& filter) {
  if (!filter.task.empty()) statement.bind(0, filter.task);
  if (!filter.target.empty()) statement.bind(1, filter.target);
}

Error damaged(const Database& database, const std::string& what) {
  return {database.path() + ": damaged: " + what};
}

Error damaged_record(const Database& database, const Statement& row, const Error& reason) {
  return damaged(database, "record " + record_number(row) + ": " + reason.message);
}

Result<Record> read_record_of(const Database& database, const Statement& row) {
  Result<Record> record = read_record(row);
  if (!record) return damaged_record(database, row, record.error());
  return record;
}

Result<TaskEntry> read_task_of(const Database& database, const Statement& row) {
  Result<TaskEntry> task = read_task(row);
  if (!task) return damaged(database, "task " + row.text(0) + ": " + task.error().message);
  return task;
}

/// What `read` makes of each row.
template <typename Row>
Result<std::vector<Row>> all_rows(const Database& database, Statement& select,
                                  Result<Row> (*read)(const Database&, const Statement&)) {
  std::vector<Row> rows;
  const Result<void> done = select.each([&](const Statement& at) -> Result<bool> {
    Result<Row> row = read(database, at);
    if (!row) return row.error();
    rows.push_back(*std::move(row));
    return true;
  });
  if (!done) return done.error();
  return rows;
}

/// Those of which `condition` with its parameter holds; all when it is empty.
Result<std::vector<TaskEntry>> tasks_of(const Database& database, const std::string& condition,
                                        const std::string& parameter) {
  const Result<Statement*> select = database.kept(std::string("SELECT ") + task_columns +
                                                  " FROM task " + condition + " ORDER BY id");
  if (!select) return select.error();
  if (!condition.empty()) (*select)->bind(0, parameter);
  return all_rows(database, **select, read_task_of);
}

Result<void> add_task(const Database& database, const TaskEntry& task) {
  if (const Result<void> sound = verify(task); !sound)
    return Error{database.path() + ": " + sound.error().message};
  const Result<Statement*> insert = database.kept(insert_task);
  if (!insert) return insert.error();
  (*insert)->bind(0, task.fingerprint).bind(1, task.text).bind(2, task.family);
  return (*insert)->bind(3, to_text(task.sizes)).run();
}

/// The number of the row of `table` whose `column` is `text`; 0 when there is none.
Result<std::int64_t> row_of(const Database& database, const std::string& table,
                            const std::string& column, const std::string& text) {
  const Result<Statement*> select =
      database.kept("SELECT id FROM " + table + " WHERE " + column + " = ?");
  if (!select) return select.error();
  std::int64_t id = 0;
  const Result<void> done =
      (*select)->bind(0, text).each([&](const Statement& row) -> Result<bool> {
        id = row.integer(0);
        return true;
      });
  if (!done) return done.error();
  return id;
}

Result<RecordKeys> keys_of(const Database& database, const Record& record) {
  const Result<std::int64_t> task = row_of(database, "task", "fingerprint", record.task);
  if (!task) return task.error();
  if (*task == 0)
    return Error{database.path() + ": record of task " + record.task + ", which is not known"};
  const Result<Statement*> insert = database.kept(insert_target);
  if (!insert) return insert.error();
  if (const Result<void> done = (*insert)->bind(0, record.target).run(); !done) return done.error();
  const Result<std::int64_t> target = row_of(database, "target", "text", record.target);
  if (!target) return target.error();
  return RecordKeys{.task = *task, .target = *target};
}

/// How many rows were new.
Result<std::int64_t> add_record(const Database& database, const Record& record) {
  if (const Result<void> sound = verify(record); !sound)
    return Error{database.path() + ": " + sound.error().message};
  const Result<RecordKeys> keys = keys_of(database, record);
  if (!keys) return keys.error();
  const Result<Statement*> insert = database.kept(insert_record);
  if (!insert) return insert.error();
  bind(**insert, record, *keys);
  if (const Result<void> done = (*insert)->run(); !done) return done.error();
  return database.changes();
}

std::string visit_text(const RecordStore::Filter& filter) {
  const bool is_all = filter.task.empty() && filter.target.empty();
  const std::string joined = is_all ? "record CROSS JOIN task CROSS JOIN target " : by_task;
  return std::string("SELECT ") + record_columns + " FROM " + joined + "ON " + of_pair + " WHERE " +
         condition(filter) + " ORDER BY record.id";
}

std::string best_text(const RecordStore::Filter& filter) {
  return std::string("SELECT ") + record_columns + " FROM " + by_task +
         "ON record.id = (SELECT other.id FROM record AS other WHERE other.task = task.id AND "
         "other.target = target.id AND other.outcome = 'ok' "
         "ORDER BY other.best_seconds, other.id LIMIT 1) WHERE " +
         condition(filter) + " ORDER BY task.id, target.id";
}

std::string prune_text(const RecordStore::Filter& filter) {
  return std::string(
             "DELETE FROM record WHERE id IN (SELECT id FROM (SELECT record.id, outcome, "
             "row_number() OVER (PARTITION BY record.task, record.target "
             "ORDER BY outcome <> 'ok', best_seconds, record.id) AS place FROM ") +
         by_task + "ON " + of_pair + " WHERE origin NOT LIKE '" + std::string(plan_origin) +
         "%' AND " + condition(filter) + ") WHERE place > ?3 OR outcome <> 'ok')";
}

}  // namespace

RecordStore::RecordStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordStore::RecordStore(RecordStore&&) noexcept = default;
RecordStore& RecordStore::operator=(RecordStore&&) noexcept = default;
RecordStore::~RecordStore() = default;

Result<RecordStore> RecordStore::open(const std::string& path, std::chrono::milliseconds patience) {
  Result<std::unique_ptr<Database>> database =
      open_store_file(path, Database::Absent::Make, patience);
  if (!database) return database.error();
  return RecordStore(std::make_unique<State>(State{*std::move(database)}));
}

Result<RecordStore> RecordStore::open_existing(const std::string& path,
                                               std::chrono::milliseconds patience) {
  Result<std::unique_ptr<Database>> database =
      open_store_file(path, Database::Absent::Refuse, patience);
  if (!database) return database.error();
  return RecordStore(std::make_unique<State>(State{*std::move(database)}));
}

const std::string& RecordStore::path() const { return state_->database->path(); }

Result<std::int64_t> RecordStore::add(std::span<const TaskEntry> tasks,
                                      std::span<const Record> records) {
  const Database& database = *state_->database;
  Result<Transaction> transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  for (const TaskEntry& task : tasks)
    if (const Result<void> added = add_task(database, task); !added) return added.error();
  std::int64_t count = 0;
  for (const Record& record : records) {
    const Result<std::int64_t> added = add_record(database, record);
    if (!added) return added;
    count += *added;
  }
  if (const Result<void> done = transaction->commit(); !done) return done.error();
  return count;
}

Result<void> RecordStore::visit(const Filter& filter,
                                const std::function<bool(const Record&)>& visit) const {
  const Database& database = *state_->database;
  Result<Statement> select = database.prepare(visit_text(filter));  // `visit` may use a kept one
  if (!select) return select.error();
  bind(*select, filter);
  return select->each([&](const Statement& row) -> Result<bool> {
    const Result<Record> record = read_record_of(database, row);
    if (!record) return record.error();
    return visit(*record);
  });
}

Result<std::vector<Record>> RecordStore::best(const Filter& filter) const {
  const Result<Statement*> select = state_->database->kept(best_text(filter));
  if (!select) return select.error();
  bind(**select, filter);
  return all_rows(*state_->database, **select, read_record_of);
}

Result<std::optional<TaskEntry>> RecordStore::task(const std::string& fingerprint) const {
  Result<std::vector<TaskEntry>> found =
      tasks_of(*state_->database, "WHERE fingerprint = ?", fingerprint);
  if (!found) return found.error();
  if (found->empty()) return std::optional<TaskEntry>();
  return std::optional(std::move(found->front()));
}

Result<std::vector<TaskEntry>> RecordStore::tasks(const std::string& family) const {
  return tasks_of(*state_->database, family.empty() ? "" : "WHERE family = ?", family);
}

Result<std::vector<RecordStore::Count>> RecordStore::counts() const {
  const Database& database = *state_->database;
  Result<Statement> select = database.prepare(
      "SELECT task.fingerprint, target.text, outcome, number FROM "
      "(SELECT task, target, outcome, count(*) AS number FROM record "
      "GROUP BY task, target, outcome) AS counted "
      "JOIN task ON task.id = counted.task JOIN target ON target.id = counted.target "
      "ORDER BY counted.task, counted.target");
  if (!select) return select.error();
  std::vector<Count> counts;
  const Result<void> done = select->each([&](const Statement& row) -> Result<bool> {
    const std::optional<Outcome> outcome = parse_outcome(row.text(2));
    if (!outcome) return damaged(database, "outcome \"" + row.text(2) + "\": no such outcome");
    if (counts.empty() || counts.back().task != row.text(0) || counts.back().target != row.text(1))
      counts.push_back({row.text(0), row.text(1), {}});
    counts.back().records[*outcome] = row.integer(3);
    return true;
  });
  if (!done) return done.error();
  return counts;
}

Result<std::int64_t> RecordStore::prune(const Filter& filter, std::int64_t keep) {
  const Database& database = *state_->database;
  Result<Transaction> transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  Result<Statement> remove = database.prepare(prune_text(filter));
  if (!remove) return remove.error();
  bind(*remove, filter);
  if (const Result<void> done = remove->bind(2, keep).run(); !done) return done.error();
  const std::int64_t count = database.changes();
  if (const Result<void> done = transaction->commit(); !done) return done.error();
  return count;
}

Result<void> RecordStore::check() const {
  const Database& database = *state_->database;
  Result<Statement> integrity = database.prepare("PRAGMA integrity_check(1)");
  if (!integrity) return integrity.error();
  const auto verdict = [&](const Statement& row) -> Result<bool> {
    if (row.text(0) == "ok") return true;
    return damaged(database, row.text(0));
  };
  if (Result<void> whole = integrity->each(verdict); !whole) return whole;
  Result<Statement> orphans = database.prepare("PRAGMA foreign_key_check(record)");
  if (!orphans) return orphans.error();
  const auto orphan = [&](const Statement& row) -> Result<bool> {
    return damaged(database, "record " + row.text(1) + ": no such " + row.text(2));
  };
  if (Result<void> whole = orphans->each(orphan); !whole) return whole;
  if (const Result<std::vector<TaskEntry>> all = tasks(""); !all) return all.error();
  Result<Statement> select = database.prepare(visit_text({}));
  if (!select) return select.error();
  return select->each([&](const Statement& row) -> Result<bool> {
    const Result<void> sound = check_record(row);
    if (!sound) return damaged_record(database, row, sound.error());
    return true;
  });
}

}  // namespace tessera
