#include "cli/build_info.h"
#include "cli/store_argument.h"
#include "cli/store_views.h"
#include "cli/verbs.h"
#include "record/exchange.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <memory>

namespace tessera {
namespace {

/// What the verbs take; each takes some of it.
struct DbArguments {
  std::string store;
  std::string subject;  // a task, a folder, a file
  std::string task;     // beginning of a fingerprint
  std::string target;
  std::int64_t keep = 0;
  std::int64_t limit = 20;
  bool with_schedules = false;
  bool is_json = false;
};

/// Acts on an open store; gives the exit code.
int with_store(Result<RecordStore> store, const DbArguments& arguments,
               Result<void> (*act)(RecordStore&, const DbArguments&)) {
  if (!store) return refuse(store.error());
  const Result<void> done = act(*store, arguments);
  return done ? ExitCode::success : refuse(done.error());
}

Result<RecordStore::Filter> filter_of(const RecordStore& store, const DbArguments& arguments) {
  RecordStore::Filter filter = {.target = arguments.target};
  if (arguments.task.empty()) return filter;
  const Result<TaskEntry> task = find_task(store, "--task", arguments.task);
  if (!task) return task.error();
  filter.task = task->fingerprint;
  return filter;
}

template <typename View>
void print(const View& view, bool is_json) {
  is_json ? print_json(json_of(view)) : print_table(view);
}

Result<void> stats(RecordStore& store, const DbArguments& arguments) {
  const Result<StoreSummary> summary = summary_of(store);
  if (!summary) return summary.error();
  print(*summary, arguments.is_json);
  return {};
}

Result<void> show(RecordStore& store, const DbArguments& arguments) {
  const Result<TaskEntry> task = find_task(store, "db show", arguments.subject);
  if (!task) return task.error();
  const Result<TaskRecords> records = records_of(store, *task, arguments.limit);
  if (!records) return records.error();
  print(*records, arguments.is_json);
  return {};
}

Result<void> best(RecordStore& store, const DbArguments& arguments) {
  const Result<RecordStore::Filter> filter = filter_of(store, arguments);
  if (!filter) return filter.error();
  const Result<std::vector<Record>> records = store.best(*filter);
  if (!records) return records.error();
  arguments.is_json ? print_json(json_of(*records))
                    : print_table(*records, arguments.with_schedules);
  return {};
}

Result<void> export_folder(RecordStore& store, const DbArguments& arguments) {
  const Result<RecordStore::Filter> filter = filter_of(store, arguments);
  if (!filter) return filter.error();
  const Result<ExportCounts> written =
      export_records(store, arguments.subject, *filter, std::string(build_info.version));
  if (!written) return written.error();
  if (arguments.is_json)
    print_json({{"folder", arguments.subject},
                {"tasks", written->tasks},
                {"files", written->shards},
                {"records", written->records}});
  else
    fmt::print("{}: {} records of {} tasks in {} files\n", arguments.subject, written->records,
               written->tasks, written->shards);
  return {};
}

Result<void> print_added(const Result<ImportCounts>& counts, const DbArguments& arguments) {
  if (!counts) return counts.error();
  if (arguments.is_json)
    print_json({{"from", arguments.subject}, {"added", counts->added}, {"known", counts->known}});
  else
    fmt::print("{}: {} new records, {} known\n", arguments.subject, counts->added, counts->known);
  return {};
}

Result<void> import_any(RecordStore& store, const DbArguments& arguments) {
  std::error_code absent;
  const bool is_folder = std::filesystem::is_directory(arguments.subject, absent);
  return print_added(is_folder ? import_records(store, arguments.subject)
                               : import_tvm_records(store, arguments.subject),
                     arguments);
}

Result<void> merge(RecordStore& store, const DbArguments& arguments) {
  return print_added(merge_records(store, arguments.subject), arguments);
}

Result<void> prune(RecordStore& store, const DbArguments& arguments) {
  const Result<RecordStore::Filter> filter = filter_of(store, arguments);
  if (!filter) return filter.error();
  const Result<std::int64_t> removed = store.prune(*filter, arguments.keep);
  if (!removed) return removed.error();
  if (arguments.is_json)
    print_json({{"store", store.path()}, {"removed", *removed}});
  else
    fmt::print("{}: {} records removed\n", store.path(), *removed);
  return {};
}

Result<void> check_store(RecordStore& store, const DbArguments& arguments) {
  if (Result<void> sound = store.check(); !sound) return sound;
  const Result<StoreSummary> summary = summary_of(store);
  if (!summary) return summary.error();
  if (arguments.is_json)
    print_json({{"store", store.path()}, {"records", summary->records}, {"sound", true}});
  else
    fmt::print("{}: {} records, all sound\n", store.path(), summary->records);
  return {};
}

struct DbVerb {
  CLI::App& app;
  DbArguments& arguments;
};

/// A verb with the options that all have; `open` opens its store.
DbVerb add_verb(CLI::App& db, const std::string& name, const std::string& what,
                const std::string& example,
                Result<RecordStore> (*open)(const std::string&, std::chrono::milliseconds),
                Result<void> (*act)(RecordStore&, const DbArguments&)) {
  CLI::App& verb = *db.add_subcommand(name, what);
  const auto arguments = std::make_shared<DbArguments>();
  add_store_argument(verb, arguments->store);
  verb.add_flag("--json", arguments->is_json, "Print JSON");
  verb.footer("Example: tessera db " + example);
  on_run(verb, [arguments, open, act] {
    return with_store(open(arguments->store, RecordStore::default_patience), *arguments, act);
  });
  return {verb, *arguments};
}

void add_subject(const DbVerb& verb, const std::string& name, const std::string& what) {
  verb.app.add_option(name, verb.arguments.subject, what)->required()->type_name("");
}

void add_filter(const DbVerb& verb) {
  verb.app.add_option("--task", verb.arguments.task, "Only this task: how its fingerprint begins")
      ->type_name("PREFIX");
  verb.app.add_option("--target", verb.arguments.target, "Only this target, as db stats writes it")
      ->type_name("TEXT");
}

void add_reading_verbs(CLI::App& db) {
  add_verb(db, "stats", "Count what is there", "stats", RecordStore::open_existing, stats);
  const DbVerb of_show = add_verb(db, "show", "Show a task and its records, the fastest first",
                                  "show 93a1 --limit 5", RecordStore::open_existing, show);
  add_subject(of_show, "TASK", "How the fingerprint of the task begins");
  of_show.app.add_option("--limit", of_show.arguments.limit, "How many records at most")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  const DbVerb of_best = add_verb(db, "best", "Show the fastest record of each task and target",
                                  "best --schedule", RecordStore::open_existing, best);
  add_filter(of_best);
  of_best.app.add_flag("--schedule", of_best.arguments.with_schedules, "Print the schedules too");
  add_verb(db, "check", "Read everything and say what is wrong", "check",
           RecordStore::open_existing, check_store);
}

void add_exchange_verbs(CLI::App& db) {
  const DbVerb of_export = add_verb(db, "export", "Write records to a folder, for others",
                                    "export records/", RecordStore::open_existing, export_folder);
  add_subject(of_export, "FOLDER", "The folder to write");
  add_filter(of_export);
  const DbVerb of_import =
      add_verb(db, "import", "Add the records of an export, or of a log of TVM", "import records/",
               RecordStore::open, import_any);
  add_subject(of_import, "SOURCE", "A folder of db export, or a file of TVM's auto_scheduler");
  add_subject(add_verb(db, "merge", "Add the records of another store", "merge other.db",
                       RecordStore::open, merge),
              "OTHER", "The other store");
}

void add_prune(CLI::App& db) {
  const DbVerb verb = add_verb(db, "prune", "Remove all but the fastest of each task and target",
                               "prune --keep 100", RecordStore::open_existing, prune);
  add_filter(verb);
  verb.app.add_option("--keep", verb.arguments.keep, "How many stay of each task and target")
      ->required()
      ->check(CLI::NonNegativeNumber);
}

}  // namespace

void add_db(CLI::App& program) {
  CLI::App& verb = *program.add_subcommand("db", "What was measured: show, exchange, clean");
  verb.require_subcommand(0, 1);
  add_reading_verbs(verb);
  add_exchange_verbs(verb);
  add_prune(verb);
  verb.footer("Example: tessera db stats\n         tessera db export records/");
  on_run(verb, [&verb] {
    if (!verb.get_subcommands().empty()) return ExitCode::success;
    return refuse(
        {"db: no verb given, expected stats, show, best, check, export, import, merge or prune"});
  });
}

}  // namespace tessera
