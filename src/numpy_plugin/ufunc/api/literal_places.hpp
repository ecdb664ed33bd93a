// Maps errors in C++ source that is a literal in a user's file to that file.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"

namespace numpy_plugin::ufunc {

// Plain data stored in a Python exception: line, column, end line, end column, source.
using PlaceData = std::tuple<int, int, int, int, int>;
using NoteData = std::tuple<std::string, PlaceData>;
using DiagnosticData = std::tuple<std::string, std::string, PlaceData, std::vector<NoteData>>;
using SourceData = std::tuple<std::string, std::vector<std::string>>;  // its label and its lines
using ErrorData = std::tuple<std::vector<DiagnosticData>, std::vector<SourceData>>;

ErrorData error_data(const declare::DiagnosedError& error);

// Position of a source's text: its number, the file, the function, line and column in bytes, and
// the file's lines from there on.
using Literal = std::tuple<int, std::string, std::string, int, int, std::vector<std::string>>;
// A diagnostic: file, line, column in characters from 1, message, hint.
using ShownDiagnostic = std::tuple<std::string, int, int, std::string, std::string>;

// The complete text of an error whose sources are those literals, and its diagnostics.
std::tuple<std::string, std::vector<ShownDiagnostic>> show_in_literals(
    const ErrorData& data, const std::vector<Literal>& literals);

}  // namespace numpy_plugin::ufunc
