#include "numpy_plugin/run/reports/kernel_reports.hpp"

namespace numpy_plugin::run {

RaisedError& raised_error() {
  thread_local RaisedError raised;
  return raised;
}

void report_raised_error(const npp::Errors& errors) {
  RaisedError& raised = raised_error();
  if (!raised.is_set()) raised.errors = errors;
}

}  // namespace numpy_plugin::run
