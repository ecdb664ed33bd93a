// Recorded messages of g++ 12, clang++ 14 and NVRTC 13 about invalid bodies, and the resulting
// diagnostics.
#pragma once

#include <ostream>

namespace numpy_plugin::jit {

struct RecordedMistake {
  const char* name;
  const char* preamble;
  const char* body;
  const char* text;
  const char* gcc;  // the log; empty where the compiler accepts the body
  const char* clang;
  const char* nvrtc;
};

inline void PrintTo(const RecordedMistake& mistake, std::ostream* stream) {
  *stream << mistake.name;
}

// clang-format off
inline constexpr RecordedMistake kRecordedMistakes[] = {
{"B1",
"",
R"log(double s = x*x + y*y
return sqrt(s);)log",
R"log(';' is missing after this
  File "<body of 'hypot'>", line 1
    double s = x*x + y*y
                     ^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:2:1: error: expected ',' or ';' before 'return'
npp-generated:1:3: error: no return statement in function returning non-void
cc1plus: some warnings being treated as errors)log",
R"log(<body of 'hypot'>:1:21: error: expected ';' at end of declaration)log",
R"log(<body of 'hypot'>(2): error: expected a ";"
  return sqrt(s);
  ^

npp-generated(1): error: missing return statement at end of non-void function "Kernel0::call"
    }
    ^

<body of 'hypot'>(1): warning #177-D: variable "s" was declared but never referenced
  double s = x*x + y*y
         ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

2 errors detected in the compilation of "npp-generated.cu".)log"},
{"B11",
"",
R"log(return x % y;)log",
R"log('%' needs integers in C++, x is double
  File "<body of 'hypot'>", line 1
    return x % y;
           ^^^^^
  hint: fmod(x, y))log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:10: error: invalid operands of types 'const double' and 'const double' to binary 'operator%')log",
R"log(<body of 'hypot'>:1:10: error: invalid operands to binary expression ('const double' and 'const double'))log",
R"log(<body of 'hypot'>(1): error: expression must have integral or unscoped enum type
  return x % y;
         ^

<body of 'hypot'>(1): error: expression must have integral or unscoped enum type
  return x % y;
             ^

2 errors detected in the compilation of "npp-generated.cu".)log"},
{"B12",
"",
R"log(return x ^ 2;)log",
R"log('^' needs integers in C++ and is not a power operator
  File "<body of 'hypot'>", line 1
    return x ^ 2;
           ^^^^^
  hint: pow(x, 2))log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:10: error: invalid operands of types 'const double' and 'int' to binary 'operator^')log",
R"log(<body of 'hypot'>:1:10: error: invalid operands to binary expression ('const double' and 'int'))log",
R"log(<body of 'hypot'>(1): error: expression must have integral or unscoped enum type
  return x ^ 2;
         ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"B15",
"",
R"log(x = x * 2;
return x;)log",
R"log('x' is an operand and cannot be assigned
  File "<body of 'hypot'>", line 1
    x = x * 2;
    ^
  hint: double t = x * 2;)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:3: error: assignment of read-only parameter 'x')log",
R"log(<body of 'hypot'>:1:3: error: cannot assign to variable 'x' with const-qualified type 'const double'
npp-generated.cpp:14:48: note: variable 'x' declared const here)log",
R"log(<body of 'hypot'>(1): error: expression must be a modifiable lvalue
  x = x * 2;
  ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"B17",
"",
R"log(return "a";)log",
R"log(a string returned, double declared
  File "<body of 'hypot'>", line 1
    return "a";
           ^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:8: error: cannot convert 'const char*' to 'double' in return)log",
R"log(<body of 'hypot'>:1:8: error: cannot initialize return object of type 'double' with an lvalue of type 'const char[2]')log",
R"log(<body of 'hypot'>(1): error: return value type does not match the function type
  return "a";
         ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"B2",
"",
R"log(double s = x*x + yy*y;
return sqrt(s);)log",
R"log(unknown name 'yy'
  File "<body of 'hypot'>", line 1
    double s = x*x + yy*y;
                     ^^
  hint: did you mean 'y'?)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:18: error: 'yy' was not declared in this scope; did you mean 'y'?)log",
R"log(<body of 'hypot'>:1:18: error: use of undeclared identifier 'yy')log",
R"log(<body of 'hypot'>(1): error: identifier "yy" is undefined
  double s = x*x + yy*y;
                   ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"B3",
"",
R"log(return sqroot(x*x + y*y);)log",
R"log(unknown function 'sqroot'
  File "<body of 'hypot'>", line 1
    return sqroot(x*x + y*y);
           ^^^^^^
  hint: did you mean 'sqrt'?)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:8: error: 'sqroot' was not declared in this scope)log",
R"log(<body of 'hypot'>:1:8: error: use of undeclared identifier 'sqroot'; did you mean 'sqrt'?
npp/math/cmath.hpp:45:17: note: 'sqrt' declared here)log",
R"log(<body of 'hypot'>(1): error: identifier "sqroot" is undefined
  return sqroot(x*x + y*y);
         ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"brackets_behind_number",
"",
R"log(return 2(x + y);)log",
R"log(2 is an int, not a function
  File "<body of 'hypot'>", line 1
    return 2(x + y);
           ^^^^^^^^
  hint: 2 * (x + y))log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:9: error: '2' cannot be used as a function)log",
R"log(<body of 'hypot'>:1:9: error: called object type 'int' is not a function or function pointer)log",
R"log(<body of 'hypot'>(1): error: expression preceding parentheses of apparent call must have (pointer-to-) function type
  return 2(x + y);
         ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"case_twice",
"",
R"log(switch (int(x)) { case 1: return 2; case 1: return 3; }
return 3;)log",
R"log('case 1' is duplicated
  File "<body of 'hypot'>", line 1
    switch (int(x)) { case 1: return 2; case 1: return 3; }
                                        ^^^^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:37: error: duplicate case value
<body of 'hypot'>:1:19: note: previously used here)log",
R"log(<body of 'hypot'>:1:42: error: duplicate case value '1'
<body of 'hypot'>:1:24: note: previous case defined here)log",
R"log(<body of 'hypot'>(1): error: case label value has already appeared in this switch at line 1
  switch (int(x)) { case 1: return 2; case 1: return 3; }
                                           ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"cast",
"",
R"log(return static_cast<double*>(x);)log",
R"log(x is a double and cannot be cast to double*
  File "<body of 'hypot'>", line 1
    return static_cast<double*>(x);
           ^^^^^^^^^^^^^^^^^^^^^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:8: error: invalid 'static_cast' from type 'const double' to type 'double*')log",
R"log(<body of 'hypot'>:1:8: error: cannot cast from type 'double' to pointer type 'double *')log",
R"log(<body of 'hypot'>(1): error: invalid type conversion
  return static_cast<double*>(x);
         ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"comparison_with_text",
"",
R"log(return x == "a";)log",
R"log('==' needs numbers, "a" is a string
  File "<body of 'hypot'>", line 1
    return x == "a";
           ^^^^^^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:10: error: invalid operands of types 'const double' and 'const char [2]' to binary 'operator==')log",
R"log(<body of 'hypot'>:1:10: error: invalid operands to binary expression ('const double' and 'const char[2]'))log",
R"log(<body of 'hypot'>(1): error: operand types are incompatible ("double" and "const char *")
  return x == "a";
           ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"declared_twice",
"",
R"log(double s = x;
double s = y;
return s;)log",
R"log('s' is declared twice
  File "<body of 'hypot'>", line 2
    double s = y;
           ^
  note: declared here first
  File "<body of 'hypot'>", line 1
    double s = x;
           ^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:2:8: error: redeclaration of 'double s'
<body of 'hypot'>:1:8: note: 'double s' previously declared here)log",
R"log(<body of 'hypot'>:2:8: error: redefinition of 's'
<body of 'hypot'>:1:8: note: previous definition is here)log",
R"log(<body of 'hypot'>(2): error: "s" has already been declared in the current scope
  double s = y;
         ^

<body of 'hypot'>(1): warning #177-D: variable "s" was declared but never referenced
  double s = x;
         ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

1 error detected in the compilation of "npp-generated.cu".)log"},
{"else_without_if",
"",
R"log(return x; else return y;)log",
R"log('else' has no 'if'
  File "<body of 'hypot'>", line 1
    return x; else return y;
              ^^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:11: error: 'else' without a previous 'if')log",
R"log(<body of 'hypot'>:1:11: error: expected expression)log",
R"log(<body of 'hypot'>(1): error: expected a statement
  return x; else return y;
            ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"index_of_number",
"",
R"log(return x[0];)log",
R"log(x is a double, not an array
  File "<body of 'hypot'>", line 1
    return x[0];
           ^^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:9: error: invalid types 'const double[int]' for array subscript)log",
R"log(<body of 'hypot'>:1:9: error: subscripted value is not an array, pointer, or vector)log",
R"log(<body of 'hypot'>(1): error: expression must have pointer-to-object type but it has type "double"
  return x[0];
         ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"inner_scope",
"",
R"log(if (x > 0) {
  double t = 1;
}
return t;)log",
R"log(unknown name 't'
  File "<body of 'hypot'>", line 4
    return t;
           ^
  hint: declare it before the '{': double t = ...;)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:4:8: error: 't' was not declared in this scope)log",
R"log(<body of 'hypot'>:4:8: error: use of undeclared identifier 't')log",
R"log(<body of 'hypot'>(2): warning #177-D: variable "t" was declared but never referenced
    double t = 1;
           ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

<body of 'hypot'>(4): error: identifier "t" is undefined
  return t;
         ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"jump",
"",
R"log(if (x < 0) goto end;
int k = 3;
end:
return k;)log",
R"log(this 'goto' jumps over a variable's initializer
  File "<body of 'hypot'>", line 1
    if (x < 0) goto end;
               ^^^^^^^^
  hint: declare the variable before the 'goto')log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:3:1: error: jump to label 'end'
<body of 'hypot'>:1:17: note:   from here
<body of 'hypot'>:2:5: note:   crosses initialization of 'int k')log",
R"log(<body of 'hypot'>:1:12: error: cannot jump from this goto statement to its label
<body of 'hypot'>:2:5: note: jump bypasses variable initialization)log",
""},
{"macro_arguments",
"",
R"log(#define SQ(v) ((v) * (v))
return SQ(x, y);)log",
R"log(SQ takes 1 argument, 2 given
  File "<body of 'hypot'>", line 2
    return SQ(x, y);
           ^^
  note: defined here
  File "<body of 'hypot'>", line 1
    #define SQ(v) ((v) * (v))
            ^^)log",
R"log(<body of 'hypot'>:2:15: error: macro "SQ" passed 2 arguments, but takes just 1
<body of 'hypot'>:1: note: macro "SQ" defined here
<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:2:8: error: 'SQ' was not declared in this scope)log",
R"log(<body of 'hypot'>:2:14: error: too many arguments provided to function-like macro invocation
<body of 'hypot'>:1:9: note: macro 'SQ' defined here
<body of 'hypot'>:2:8: error: use of undeclared identifier 'SQ')log",
R"log(<body of 'hypot'>(2): error: too many arguments in invocation of macro "SQ"
  return SQ(x, y);
               ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"member_of_number",
"",
R"log(return x.foo;)log",
R"log(x is a double and has no 'foo'
  File "<body of 'hypot'>", line 1
    return x.foo;
           ^^^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:10: error: request for member 'foo' in 'x', which is of non-class type 'const double')log",
R"log(<body of 'hypot'>:1:9: error: member reference base type 'const double' is not a structure or union)log",
R"log(<body of 'hypot'>(1): error: expression must have class type but it has type "const double"
  return x.foo;
         ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"narrowing",
"",
R"log(int n{x};
return n;)log",
R"log(braces do not convert a double to an int
  File "<body of 'hypot'>", line 1
    int n{x};
          ^
  hint: int(x))log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:7: error: narrowing conversion of '(double)x' from 'double' to 'int'
cc1plus: some warnings being treated as errors)log",
R"log(<body of 'hypot'>:1:7: error: type 'double' cannot be narrowed to 'int' in initializer list [-Wc++11-narrowing]
<body of 'hypot'>:1:7: note: insert an explicit cast to silence this issue)log",
R"log(<body of 'hypot'>(1): error: invalid narrowing conversion from "double" to "int"
  int n{x};
        ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"preamble_arguments",
R"log(double helper(double v, double w) { return v + w; })log",
R"log(return helper(x);)log",
R"log(helper takes 2 arguments, 1 given
  File "<body of 'hypot'>", line 1
    return helper(x);
           ^^^^^^
  note: defined here
  File "<preamble of 'hypot'>", line 1
    double helper(double v, double w) { return v + w; }
           ^^^^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:14: error: too few arguments to function 'double helper(double, double)'
<preamble of 'hypot'>:1:8: note: declared here)log",
R"log(<body of 'hypot'>:1:8: error: no matching function for call to 'helper'
<preamble of 'hypot'>:1:8: note: candidate function not viable: requires 2 arguments, but 1 was provided)log",
R"log(<body of 'hypot'>(1): error: too few arguments in function call
  return helper(x);
                 ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"preamble_template",
R"log(template <class T>
T inner(T v) { return v.missing; }
template <class T>
T twice(T v) { return inner(v); })log",
R"log(return
  twice(x) + y;)log",
R"log(v is a double and has no 'missing'
  File "<preamble of 'hypot'>", line 2
    T inner(T v) { return v.missing; }
                          ^^^^^^^^^
  note: used here
  File "<body of 'hypot'>", line 2
    twice(x) + y;
    ^^^^^^^^^^^^^)log",
R"log(<preamble of 'hypot'>: In instantiation of 'T inner(T) [with T = double]':
<preamble of 'hypot'>:4:28:   required from 'T twice(T) [with T = double]'
<body of 'hypot'>:2:8:   required from here
<preamble of 'hypot'>:2:25: error: request for member 'missing' in 'v', which is of non-class type 'double')log",
R"log(<preamble of 'hypot'>:2:24: error: member reference base type 'double' is not a structure or union
<preamble of 'hypot'>:4:23: note: in instantiation of function template specialization 'inner<double>' requested here
<body of 'hypot'>:2:3: note: in instantiation of function template specialization 'twice<double>' requested here)log",
R"log(<preamble of 'hypot'>(2): error: expression must have class type but it has type "double"
  T inner(T v) { return v.missing; }
                        ^
          detected during:
            instantiation of "T inner(T) [with T=double]" at line 4
            instantiation of "T twice(T) [with T=double]" at line 2 of <body of 'hypot'>

1 error detected in the compilation of "npp-generated.cu".)log"},
{"return_without_value",
"",
R"log(return;)log",
R"log(a 'return' without a value, double declared
  File "<body of 'hypot'>", line 1
    return;
    ^^^^^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:1: error: return-statement with no value, in function returning 'double')log",
R"log(<body of 'hypot'>:1:1: error: non-void function 'call' should return a value [-Wreturn-type])log",
R"log(<body of 'hypot'>(1): error: non-void function "Kernel0::call" should return a value
  return;
        ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"size_of_array",
"",
R"log(int n = x;
double v[n];
v[0] = x;
return v[0];)log",
R"log(the size of a local array must be a constant
  File "<body of 'hypot'>", line 2
    double v[n];
             ^
  hint: use the largest size you need, such as 32)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:2:8: error: variable length array 'v' is used
cc1plus: some warnings being treated as errors)log",
R"log(<body of 'hypot'>:2:10: error: variable length arrays are a C99 feature [-Werror,-Wvla-extension]
<body of 'hypot'>:2:10: note: read of non-const variable 'n' is not allowed in a constant expression
<body of 'hypot'>:1:5: note: declared here)log",
R"log(<body of 'hypot'>(2): error: expression must have a constant value
  double v[n];
           ^
<body of 'hypot'>(2): note #2689-D: the value of variable "n" (declared at line 1) cannot be used as a constant
  double v[n];
           ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"stream",
"",
R"log(std::cout << x;
return x;)log",
R"log(unknown name 'std::cout'
  File "<body of 'hypot'>", line 1
    std::cout << x;
    ^^^^^^^^^
  hint: return the value as one more result to inspect it)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:6: error: 'cout' is not a member of 'std'
<body of 'hypot'>:1:6: note: 'std::cout' is defined in header '<iostream>'; did you forget to '#include <iostream>'?)log",
R"log(<body of 'hypot'>:1:6: error: no member named 'cout' in namespace 'std')log",
R"log(<body of 'hypot'>(1): error: namespace "std" has no member "cout"
  std::cout << x;
       ^

1 error detected in the compilation of "npp-generated.cu".)log"},
{"unknown_names",
"",
R"log(double a = xx + 1;
double b = yy + 2;
return a + b + cc;)log",
R"log(unknown name 'xx'
  File "<body of 'hypot'>", line 1
    double a = xx + 1;
               ^^
  hint: did you mean 'x'?

unknown name 'yy'
  File "<body of 'hypot'>", line 2
    double b = yy + 2;
               ^^
  hint: did you mean 'y'?

unknown name 'cc'
  File "<body of 'hypot'>", line 3
    return a + b + cc;
                   ^^)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:12: error: 'xx' was not declared in this scope; did you mean 'x'?
<body of 'hypot'>:2:12: error: 'yy' was not declared in this scope; did you mean 'y'?
<body of 'hypot'>:3:16: error: 'cc' was not declared in this scope)log",
R"log(<body of 'hypot'>:1:12: error: use of undeclared identifier 'xx'
<body of 'hypot'>:2:12: error: use of undeclared identifier 'yy'
<body of 'hypot'>:3:16: error: use of undeclared identifier 'cc')log",
R"log(<body of 'hypot'>(1): error: identifier "xx" is undefined
  double a = xx + 1;
             ^

<body of 'hypot'>(2): error: identifier "yy" is undefined
  double b = yy + 2;
             ^

<body of 'hypot'>(3): error: identifier "cc" is undefined
  return a + b + cc;
                 ^

3 errors detected in the compilation of "npp-generated.cu".)log"},
{"unknown_type",
"",
R"log(flaot z = x;
return z + y;)log",
R"log(unknown type 'flaot'
  File "<body of 'hypot'>", line 1
    flaot z = x;
    ^^^^^
  hint: did you mean 'float'?)log",
R"log(<body of 'hypot'>: In static member function 'static double {anonymous}::Kernel0::call(double, double)':
<body of 'hypot'>:1:1: error: 'flaot' was not declared in this scope; did you mean 'float'?
<body of 'hypot'>:2:8: error: 'z' was not declared in this scope)log",
R"log(<body of 'hypot'>:1:1: error: unknown type name 'flaot')log",
R"log(<body of 'hypot'>(1): error: identifier "flaot" is undefined
  flaot z = x;
  ^

1 error detected in the compilation of "npp-generated.cu".)log"},
};
// clang-format on

}  // namespace numpy_plugin::jit
