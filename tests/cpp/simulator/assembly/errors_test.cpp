// Invalid PTX: each mistake with its line and message.
#include <gtest/gtest.h>

#include "simulator/assembly/text.hpp"

namespace numpy_plugin::sim {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_ptx(text);
  } catch (const PtxError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of_module(const std::string& rest) { return error_of(kModuleHead + rest); }
std::string error_of_body(const std::string& statements) { return error_of(with_body(statements)); }

TEST(AssemblyErrorsTest, CarryTheirLine) {
  try {
    parse_module("\n\n.global x;");
    FAIL();
  } catch (const PtxError& error) {
    EXPECT_EQ(error.line(), 6);
  }
  EXPECT_STREQ(PtxError(0, "no line").what(), "no line");
}

TEST(AssemblyErrorsTest, TextThatIsNoPtx) {
  EXPECT_EQ(error_of(""), "line 1: the text is empty; expected PTX");
  EXPECT_EQ(error_of("\x7f"
                     "ELF\2\1\1"),
            "line 1: found an object in ELF format (a cubin); expected PTX as text");
  EXPECT_EQ(error_of("\n  // only this\n"),
            "line 3: found the end of the text; expected '.version' at the beginning of PTX");
  EXPECT_EQ(error_of("extern \"C\" int f();"),
            "line 1: found 'extern'; expected '.version' at the beginning of PTX");
  EXPECT_EQ(error_of(std::string("\xed\x43\x4e\x7f", 4)),
            "line 1: '\\xed' is not a character of PTX");
  EXPECT_EQ(error_of(std::string(3, '\0')), "line 1: '\\x00' is not a character of PTX");
  EXPECT_EQ(error_of(std::string(100, 'x')),
            "line 1: found '" + std::string(60, 'x') +
                "...'; expected '.version' at the beginning of PTX");
}

TEST(AssemblyErrorsTest, Headers) {
  EXPECT_EQ(error_of("\n.version 10.0\n.target sm_90"),
            "line 2: found PTX of version 10.0; expected one from 1.0 to 9.x");
  EXPECT_EQ(error_of(".version 0.9"),
            "line 1: found PTX of version 0.9; expected one from 1.0 to 9.x");
  EXPECT_EQ(error_of(".version 9"), "line 1: found '9'; expected a version such as 9.0");
  EXPECT_EQ(error_of(".version 9.x"), "line 1: found '9'; expected a version such as 9.0");
  EXPECT_EQ(error_of(".version 9.0e"), "line 1: found '9.0e'; expected a version such as 9.0");
  EXPECT_EQ(error_of(".version 9.0\n.address_size 64"),
            "line 2: found '.address_size'; expected '.target' after the version");
  EXPECT_EQ(error_of(".version 9.0 .target compute_90"),
            "line 1: found 'compute_90'; expected a target such as sm_90");
  EXPECT_EQ(error_of(".version 9.0 .target sm_90 .address_size 32"),
            "line 1: found '32'; expected '64' as the size of addresses");
  EXPECT_EQ(error_of(".version 9.0 .target sm_90 .global .u32 x;"), "no error");
}

TEST(AssemblyErrorsTest, TellAnUnknownVersionFromOtherMistakes) {
  EXPECT_THROW(parse_ptx(".version 10.0 .target sm_90"), PtxVersionError);
  try {
    parse_ptx(".version 9.0 .target 90");
    FAIL();
  } catch (const PtxVersionError&) {
    FAIL();
  } catch (const PtxError&) {
  }
}

TEST(AssemblyErrorsTest, Tokens) {
  EXPECT_EQ(error_of_module("/* never\nclosed"), "line 4: a comment has no end; expected '*/'");
  EXPECT_EQ(error_of_module(".pragma \"never\nclosed\";"),
            "line 4: a string has no end; expected '\"' on its line");
  EXPECT_EQ(error_of_module("/ x"),
            "line 4: found '/'; expected a function or a variable of the module");
  EXPECT_EQ(error_of_body("mov #1;"), "line 5: '#' is not a character of PTX");
}

TEST(AssemblyErrorsTest, EndsThatAreMissing) {
  EXPECT_EQ(error_of_module(".entry k() { ret;"),
            "line 4: found the end of the text; expected '}' at the end of the function 'k'");
  EXPECT_EQ(error_of_module(".entry k() { { ret; }\n"),
            "line 5: found the end of the text; expected '}' at the end of the function 'k'");
  EXPECT_EQ(error_of_module(".entry k() { ret"),
            "line 4: found the end of the text; expected an operand");
  EXPECT_EQ(error_of_module(".section .debug_str { .b8 1"),
            "line 4: found the end of the text; expected '}'");
  EXPECT_EQ(error_of_module(".global .u32 x"),
            "line 4: found the end of the text; expected ';' after a variable");
  EXPECT_EQ(error_of_module(".pragma \"x\""), "line 4: found the end of the text; expected ';'");
}

TEST(AssemblyErrorsTest, WhatStandsInNoModule) {
  EXPECT_EQ(error_of_module("}"),
            "line 4: found '}'; expected a function or a variable of the module");
  EXPECT_EQ(error_of_module(".visible .local .u32 x;"),
            "line 4: found '.local'; expected a function or a variable of the module");
  EXPECT_EQ(error_of_module(".section debug"),
            "line 4: found 'debug'; expected the name of a section");
  EXPECT_EQ(error_of_module(".section .debug_str .b8"),
            "line 4: found '.b8'; expected '{' after the name of a section");
}

TEST(AssemblyErrorsTest, Variables) {
  EXPECT_EQ(error_of_module(".global .texture t;"),
            "line 4: found '.texture'; expected a type such as '.b32' or '.f64'");
  EXPECT_EQ(error_of_module(".global .pred x;"),
            "line 4: found '.pred'; expected a type with bytes for a variable");
  EXPECT_EQ(error_of_module(".global .u32 4;"),
            "line 4: found '4'; expected the name of a variable");
  EXPECT_EQ(error_of_module(".global .u32 a.b;"),
            "line 4: found 'a.b'; expected the name of a variable");
  EXPECT_EQ(error_of_module(".global .align 3 .u32 x;"),
            "line 4: found an alignment of 3 bytes; expected a power of two");
  EXPECT_EQ(error_of_module(".global .align 131072 .u32 x;"),
            "line 4: found '131072'; expected an alignment of at most 65536");
  EXPECT_EQ(error_of_module(".global .u32 x[];"),
            "line 4: 'x' has no size; expected '[n]' after it");
  EXPECT_EQ(error_of_module(".global .u32 x[0];"),
            "line 4: 'x' has no size; expected '[n]' after it");
  EXPECT_EQ(error_of_module(".global .b8 x[1152921504606846976];"),
            "line 4: found '1152921504606846976'; expected a number of elements of at most "
            "1099511627776");
  EXPECT_EQ(error_of_module(".global .b64 x[1099511627776];"),
            "line 4: 'x' is larger than 1099511627776 bytes");
  EXPECT_EQ(error_of_module(".global .b8 x[1048576][1048576][1048576][1048576];"),
            "line 4: 'x' is larger than 1099511627776 bytes");
  EXPECT_EQ(error_of_module(".shared .b8 x[16777217];"),
            "line 4: 'x' is larger than 16777216 bytes");
  EXPECT_EQ(error_of_module(".global .u32 x[4;"),
            "line 4: found ';'; expected ']' after the number of elements");
  EXPECT_EQ(error_of_module(".global .u32 x[-1];"),
            "line 4: found '-'; expected a number of elements");
  EXPECT_EQ(error_of_module(".global .attribute x;"),
            "line 4: found 'x'; expected '(' after '.attribute'");
}

TEST(AssemblyErrorsTest, FirstValues) {
  EXPECT_EQ(error_of_module(".global .f32 x = 1;"),
            "line 4: a value of 'x' is not a float; expected a .f32");
  EXPECT_EQ(error_of_module(".global .f32 x = 0d3FF0000000000000;\n.global .u16 y = 1.5;"),
            "line 5: a value of 'y' is a float; expected a .u16");
  EXPECT_EQ(error_of_module(".global .f64 x = 0f3F800000;"),
            "line 4: a value of 'x' is a float of another size; expected a .f64");
  EXPECT_EQ(error_of_module(".global .u32 x = k;"),
            "line 4: a value of 'x' is an address of 8 bytes; expected a .u32");
  EXPECT_EQ(error_of_module(".global .u64 x = nobody;"),
            "line 4: 'nobody' is not declared; expected a register, a label, a variable or a "
            "function");
  EXPECT_EQ(error_of_module(".global .u64 x = x+1.5;"),
            "line 4: found a float; expected an integer added to an address");
  EXPECT_EQ(error_of_module(".global .u8 x[2] = {1, 2,\n3};"),
            "line 5: 'x' has more than 2 values in braces");
  EXPECT_EQ(error_of_module(".global .u8 x[2][2] = {{1, 2, 3}};"),
            "line 4: 'x' has more than 2 values in braces");
  EXPECT_EQ(error_of_module(".global .u8 x[2][2] = {1, 2, 3, 4};"),
            "line 4: found '1'; expected '{' before the values of an array");
  EXPECT_EQ(error_of_module(".global .v2 .u8 x[2] = {1, 2};"),
            "line 4: found '1'; expected '{' before the values of an array");
  EXPECT_EQ(error_of_module(".global .u8 x[2] = 1;"),
            "line 4: found '1'; expected '{' before the values of an array");
  EXPECT_EQ(error_of_module(".global .u8 x = {1};"),
            "line 4: found '{'; expected a number or the name of a symbol");
  EXPECT_EQ(error_of_module(".global .u8 x[][0] = {{1}};"),
            "line 4: 'x' has no size; expected '[n]' after it");
  EXPECT_EQ(error_of_module(".global .u8 x[2] = {1 2};"),
            "line 4: found '2'; expected '}' or ',' after a value");
  EXPECT_EQ(error_of_module(".global .u64 x = generic x;"),
            "line 4: found 'x'; expected '(' after 'generic'");
  for (const char* variable : {".extern .global .u32 x = 1;", ".shared .u32 x = 1;"}) {
    EXPECT_EQ(error_of_module(variable),
              "line 4: 'x' has values; expected them for .global and .const variables that are not "
              ".extern only");
  }
}

TEST(AssemblyErrorsTest, MasksOfAddresses) {
  for (const char* mask : {"0xFFFF(x)", "0x0F(x)", "0f000000FF(x)", "0(x)"}) {
    EXPECT_EQ(error_of_module(".global .u8 x[9] = {" + std::string(mask) + "};"),
              "line 4: 'x' has a mask of other bits of an address than one byte's; expected 0xFF, "
              "0xFF00, 0xFF0000 and so on")
        << mask;
  }
  EXPECT_EQ(error_of_module(".global .u8 x[9] = {0xFF(x};"),
            "line 4: found '}'; expected ')' after the byte of an address");
}

TEST(AssemblyErrorsTest, Numbers) {
  EXPECT_EQ(error_of_body("mov 18446744073709551616;"),
            "line 5: '18446744073709551616' does not fit in 64 bits");
  EXPECT_EQ(error_of_body("mov 12ab;"), "line 5: '12ab' is not a PTX number");
  EXPECT_EQ(error_of_body("mov 0x;"), "line 5: '0x' is not a PTX number");
  EXPECT_EQ(error_of_body("mov 089;"), "line 5: '089' is not a PTX number");
  EXPECT_EQ(error_of_body("mov 1.5x;"), "line 5: '1.5x' is not a PTX number");
  EXPECT_EQ(error_of_body("mov 1.0e999;"), "line 5: '1.0e999' does not fit in a .f64");
  EXPECT_EQ(error_of_body("mov 0f3F80;"),
            "line 5: '0f3F80' does not have the 8 hexadecimal digits of a .f32");
  EXPECT_EQ(error_of_body("mov 0d3F800000;"),
            "line 5: '0d3F800000' does not have the 16 hexadecimal digits of a .f64");
  EXPECT_EQ(error_of_body("mov 0f3F80000g;"), "line 5: '0f3F80000g' is not a PTX number");
  EXPECT_EQ(error_of_body("mov - x;"), "line 5: found 'x'; expected a number");
}

TEST(AssemblyErrorsTest, ConstantExpressions) {
  EXPECT_EQ(error_of_body("mov 1+;"), "line 5: found ';'; expected a number");
  EXPECT_EQ(error_of_body("mov (1+2;"), "line 5: found ';'; expected ')' after a constant");
  EXPECT_EQ(error_of_body("mov 1 ? 2;"), "line 5: found ';'; expected ':' after '?' and a value");
  EXPECT_EQ(error_of_body("mov 4/(2-2);"), "line 5: a constant is divided by zero");
  EXPECT_EQ(error_of_body("mov 4 % 0;"), "line 5: a constant is divided by zero");
  EXPECT_EQ(error_of_body("mov 1.5+2;"),
            "line 5: '+' has operands of other types; expected two integers or two decimal floats");
  EXPECT_EQ(error_of_body("mov 0f3F800000+0f3F800000;"),
            "line 5: '+' has operands of other types; expected two integers or two decimal floats");
  EXPECT_EQ(error_of_body("mov 1.5<<2;"),
            "line 5: '<<' has operands of other types; expected two integers");
  EXPECT_EQ(error_of_body("mov !1.5;"),
            "line 5: '!' has operands of other types; expected an integer");
  EXPECT_EQ(error_of_body("mov ~1.5;"),
            "line 5: '~' has operands of other types; expected an integer");
  EXPECT_EQ(error_of_body("mov (.u64)1.5;"),
            "line 5: '(.u64)' has operands of other types; expected an integer");
  EXPECT_EQ(error_of_body("mov 1 ? 1.5 : 2.5;"),
            "line 5: '?' has operands of other types; expected three integers");
  EXPECT_EQ(error_of_body("mov (.u32)1;"), "line 5: found '.u32'; expected '.s64' or '.u64'");
  EXPECT_EQ(error_of_body("mov 7%3;"), "line 5: found '%3'; expected ',' or ';' after an operand");
  EXPECT_EQ(error_of_body("mov " + std::string(65, '(') + "1;"),
            "line 5: more than 64 constant expressions within another");
}

TEST(AssemblyErrorsTest, HeadsOfFunctions) {
  EXPECT_EQ(error_of_module(".entry (.param .b32 x) {}"),
            "line 4: found '('; expected the name of a function");
  EXPECT_EQ(error_of_module(".entry k(.reg .b32 x) {}"),
            "line 4: found '.reg'; expected '.param' of a parameter");
  EXPECT_EQ(error_of_module(".entry k(.param .b32 x .param .b32 y) {}"),
            "line 4: found '.param'; expected ')' or ',' after a parameter");
  EXPECT_EQ(error_of_module(".entry k(.param .b8 x[]) {}"),
            "line 4: 'x' has no size; expected '[n]' after it");
  EXPECT_EQ(error_of_module(".entry k(.param .b8 x[16777217]) {}"),
            "line 4: 'x' is larger than 16777216 bytes");
  EXPECT_EQ(error_of_module(".entry k() .maxfun 3 {}"),
            "line 4: found '.maxfun'; expected '{' or ';' after the head of a function");
  EXPECT_EQ(error_of_module(".entry k() ret;"),
            "line 4: found 'ret'; expected '{' or ';' after the head of a function");
  EXPECT_EQ(error_of_module(".entry k() .maxntid 1, 2, 3, 4 {}"),
            "line 4: found '4'; expected at most three numbers of threads");
  for (const char* threads : {".maxntid 0", ".maxntid 65536, 65536", ".maxntid 8, 0"}) {
    EXPECT_EQ(error_of_module(".entry k() " + std::string(threads) + " {}"),
              "line 4: '.maxntid' does not give a number of threads from 1 to 4294967295");
  }
  EXPECT_EQ(error_of_module(".entry k() .reqntid 4294967296 {}"),
            "line 4: found '4294967296'; expected a number of threads of at most 4294967295");
  EXPECT_EQ(error_of_module(".extern .func f() { ret; }"),
            "line 4: found '{'; expected ';' after an .extern function");
}

TEST(AssemblyErrorsTest, DefinitionsThatMeetAnother) {
  EXPECT_EQ(error_of_module(".global .u32 x;\n.const .u32 x;"),
            "line 5: 'x' is defined in this module already");
  EXPECT_EQ(error_of_module(".func f() {}\n.func f() {}"),
            "line 5: 'f' is defined in this module already");
  EXPECT_EQ(error_of_module(".func f() {}\n.global .u32 f;"),
            "line 5: 'f' is defined in this module already");
  EXPECT_EQ(error_of_module(".extern .global .u32 f;\n.func f() {}"),
            "line 5: 'f' is defined in this module already");
  for (const char* other : {".global .u64 x;", ".const .u32 x;", ".global .u32 x[2];"}) {
    EXPECT_EQ(error_of_module(".extern .global .u32 x;\n" + std::string(other)),
              "line 5: 'x' does not match the space and size of its declaration on line 4");
  }
  for (const char* other :
       {".func f(.param .b32 x) {}", ".func (.param .b32 x) f() {}", ".entry f() {}"}) {
    EXPECT_EQ(error_of_module(".func f();\n" + std::string(other)),
              "line 5: 'f' does not match the parameters and results of its declaration on line 4");
  }
}

TEST(AssemblyErrorsTest, NamesDeclaredTwice) {
  for (const char* statements :
       {".reg .b32 a;\n.reg .b16 a;", ".reg .b32 %r<5>;\n.reg .b32 %r<2>;",
        ".reg .b32 %r<5>;\n.reg .b32 %r4;", ".reg .b32 %r4;\n.reg .b32 %r<5>;",
        ".reg .b32 %r<20>;\n.reg .b32 %r1<2>;", ".reg .b32 %r1<2>;\n.reg .b32 %r<20>;",
        "\n.reg .b32 p;", ".reg .b32 a;\n.local .b32 a;", "{ .param .b32 a;\n.param .b64 a; }",
        "a: ret;\na: ret;", "a : .callprototype _;\na : .callprototype _;"}) {
    const std::string error = error_of_body(statements);
    EXPECT_TRUE(error.starts_with("line 6: '") &&
                error.ends_with("' is declared in this scope already"))
        << statements << ": " << error;
  }
}

TEST(AssemblyErrorsTest, Registers) {
  EXPECT_EQ(error_of_body(".reg .b33 a;"),
            "line 5: found '.b33'; expected a type such as '.b32' or '.f64'");
  EXPECT_EQ(error_of_body(".reg .v8 .f32 a;"),
            "line 5: found '.v8'; expected a type such as '.b32' or '.f64'");
  EXPECT_EQ(error_of_body(".reg .v4 .f64 a;"),
            "line 5: found a vector of 4 .f64; expected at most 128 bits");
  EXPECT_EQ(error_of_body(".reg .v2 .pred a;"),
            "line 5: found a vector of predicates; expected a type with bytes");
  EXPECT_EQ(
      error_of_body(".reg .v2 .b32 a;\nmov a.z;"),
      "line 6: 'a.z' is not declared; expected a register, a label, a variable or a function");
  EXPECT_EQ(
      error_of_body(".reg .b32 a;\nmov a.x;"),
      "line 6: 'a.x' is not declared; expected a register, a label, a variable or a function");
  EXPECT_EQ(error_of_body(".reg .b32 %r<4294967295>;"),
            "line 5: found '4294967295'; expected a number of registers of at most 1048576");
  EXPECT_EQ(error_of_body(".reg .b32 %r<1048576>;\n.reg .b32 a;"),
            "line 6: more than 1048576 registers in the module");
  EXPECT_EQ(error_of_body(".reg .b32 %r<2;"),
            "line 5: found ';'; expected '>' after the number of registers");
  EXPECT_EQ(error_of_body(".reg .b32 a b;"), "line 5: found 'b'; expected ';' after a register");
}

TEST(AssemblyErrorsTest, Statements) {
  EXPECT_EQ(error_of_body(".version 9.0"), "line 5: found '.version'; expected a statement");
  EXPECT_EQ(error_of_body("5;"), "line 5: found '5'; expected an instruction");
  EXPECT_EQ(error_of_body(".reg .pred p1;\n@p1 5;"), "line 6: found '5'; expected an instruction");
  EXPECT_EQ(error_of_body("@%p1 ret;"),
            "line 5: '@' is not followed by a register; expected a predicate");
  EXPECT_EQ(error_of_body("@1 ret;"),
            "line 5: '@' is not followed by a register; expected a predicate");
  EXPECT_EQ(error_of_body("a: .branchtargets ;"), "line 5: found ';'; expected a target");
  EXPECT_EQ(error_of_body("a: .calltargets f g;"),
            "line 5: found 'g'; expected ';' or ',' after a target");
  EXPECT_EQ(error_of_body("a: .branchtargets b<70000>;"),
            "line 5: found '70000'; expected a number of targets of at most 65536");
  EXPECT_EQ(error_of_body("a: .branchtargets p;"),
            "line 5: 'p' is no target; expected a label or a function");
  EXPECT_EQ(error_of_body("a: .branchtargets b<2>;\nb0: ret;"),
            "line 5: 'b1' is not declared; expected a register, a label, a variable or a function");
  EXPECT_EQ(error_of_body("a: .callprototype f;"),
            "line 5: found 'f'; expected '_' for the function of a prototype");
}

TEST(AssemblyErrorsTest, ScopesWithinScopes) {
  const std::string opening(64, '{');
  const std::string closing(64, '}');
  EXPECT_EQ(error_of_body(opening + "ret;" + closing), "no error");
  EXPECT_EQ(error_of_body(opening + "\n{"), "line 6: more than 64 scopes within another");
}

TEST(AssemblyErrorsTest, Operands) {
  EXPECT_EQ(error_of_body("mov p p;"), "line 5: found 'p'; expected ',' or ';' after an operand");
  EXPECT_EQ(error_of_body("mov p,;"), "line 5: found ';'; expected an operand");
  EXPECT_EQ(error_of_body("mov [p;"), "line 5: found ';'; expected ']' after an address");
  EXPECT_EQ(error_of_body("mov [];"), "line 5: found ']'; expected an operand");
  EXPECT_EQ(error_of_body("mov [p+x];"), "line 5: found 'x'; expected a number");
  EXPECT_EQ(error_of_body("mov [p+1.5];"),
            "line 5: found a float; expected an integer added to an address");
  EXPECT_EQ(error_of_body("tex.2d.v4.f32.f32 {_}, [p, {_}];"), "no error");
  EXPECT_EQ(error_of_body("tex.2d.v4.f32.f32 {_}, [p, _, {_, _}];"), "no error");
  EXPECT_EQ(error_of_body("tex.2d.v4.f32.f32 {_}, [p,];"),
            "line 5: found ']'; expected an operand");
  EXPECT_EQ(error_of_body("tex.2d.v4.f32.f32 {_}, [p, {_];"),
            "line 5: found ']'; expected '}' or ',' between operands");
  EXPECT_EQ(error_of_body("mov {p;"), "line 5: found ';'; expected '}' or ',' between operands");
  EXPECT_EQ(error_of_body("mov {};"), "line 5: found '}'; expected an operand");
  EXPECT_EQ(error_of_body("mov {{p}};"), "line 5: found '{'; expected an operand");
  EXPECT_EQ(error_of_body("call (p;"), "line 5: found ';'; expected ')' or ',' between operands");
  EXPECT_EQ(error_of_body("mov p|p|p;"), "line 5: found '|'; expected ',' or ';' after an operand");
  EXPECT_EQ(error_of_body("mov p[x];"), "line 5: found 'x'; expected an index");
  EXPECT_EQ(error_of_body("mov p[1.5];"), "line 5: found a float; expected an index");
  EXPECT_EQ(error_of_body("mov p[1;"), "line 5: found ';'; expected ']' after an index");
  EXPECT_EQ(error_of_body("mov !p;"),
            "line 5: '!' is not followed by a register; expected a predicate");
}

TEST(AssemblyErrorsTest, NamesThatNothingDeclares) {
  const std::string expected =
      " is not declared; expected a register, a label, a variable or a function";
  EXPECT_EQ(error_of_body("ret;\nbra nowhere;"), "line 6: 'nowhere'" + expected);
  EXPECT_EQ(error_of_body("mov [x];\nmov y;"), "line 5: 'x'" + expected);
  EXPECT_EQ(error_of_body("mov y;\nmov [x];"), "line 5: 'y'" + expected);
  EXPECT_EQ(error_of_body("call (x), k;"), "line 5: 'x'" + expected);
  EXPECT_EQ(error_of_body("mov {x, p}, x|p;"), "line 5: 'x'" + expected);
  EXPECT_EQ(error_of_body("mov p|x;"), "line 5: 'x'" + expected);
  EXPECT_EQ(error_of_body("mov x|k;"), "line 5: 'x'" + expected);
  EXPECT_EQ(error_of_body("{ .reg .b32 a; }\nmov a;"), "line 6: 'a'" + expected);
  EXPECT_EQ(error_of_body("bra a;\n{ a: ret; }"), "line 5: 'a'" + expected);
  EXPECT_EQ(error_of_body("a: ret;\nmov [a];"), "line 6: 'a'" + expected);
}

TEST(AssemblyErrorsTest, Linkage) {
  for (const char* pair : {".extern .visible", ".visible .extern", ".weak .visible",
                           ".visible .weak", ".extern .weak", ".visible .visible"}) {
    const std::string second = std::string(pair).substr(std::string(pair).find(' ') + 1);
    EXPECT_EQ(error_of_module(std::string(pair) + " .global .u32 x;"),
              "line 4: found '" + second + "'; expected a function or a variable of the module");
  }
  EXPECT_EQ(error_of_module(".common .const .u32 x;"),
            "line 4: found '.const'; expected a .global variable after '.common'");
  EXPECT_EQ(error_of_module(".common .func f();"),
            "line 4: found '.func'; expected a .global variable after '.common'");
}

TEST(AssemblyErrorsTest, Aliases) {
  const std::string named =
      "line 4: '.alias' with 'f'; expected a function that is declared "
      "without a body there";
  EXPECT_EQ(error_of_module(".alias f, g; .func g() {}"), named);
  EXPECT_EQ(error_of_module(".func f() {} .func g() {} .alias f, g;"), named);
  EXPECT_EQ(error_of_module(".entry f(); .func g() {} .alias f, g;"), named);
  EXPECT_EQ(error_of_module(".func f(); .func g(); .alias f, g;"),
            "line 4: '.alias' with 'g'; expected a function that is defined in this module there");
  EXPECT_EQ(error_of_module(".func f(); .func g(.param .b32 x) {} .alias f, g;"),
            "line 4: 'f' does not match the parameters and results of its declaration on line 4");
  EXPECT_EQ(error_of_module(".alias f g;"),
            "line 4: found 'g'; expected ',' after the name of an alias");
  EXPECT_EQ(error_of_module(".alias f, g .func"),
            "line 4: found '.func'; expected ';' after an alias");
}

TEST(AssemblyErrorsTest, Textures) {
  for (const std::string type : {".texref", ".samplerref", ".surfref"}) {
    EXPECT_EQ(error_of_module(".global " + type + " t;"),
              "line 4: '" + type +
                  "' declares an object of textures, which the simulated GPU does not have");
  }
  EXPECT_EQ(error_of_module(".tex .u32 t;"),
            "line 4: '.tex' declares a texture, which the simulated GPU does not have");
}

TEST(AssemblyErrorsTest, Vectors) {
  EXPECT_EQ(error_of_module(".global .v3 .f32 x;"),
            "line 4: found '.v3'; expected a type such as '.b32' or '.f64'");
  EXPECT_EQ(error_of_module(".global .v4 .b64 x;"),
            "line 4: found a vector of 4 .b64; expected at most 128 bits");
  EXPECT_EQ(error_of_module(".entry k(.param .v4 .f32 x) {}"),
            "line 4: found a vector in .param space; expected an array of elements");
}

TEST(AssemblyErrorsTest, Attributes) {
  EXPECT_EQ(error_of_module(".global .attribute(.near) .u32 x;"),
            "line 4: found '.near'; expected '.managed' or '.unified'");
  EXPECT_EQ(error_of_module(".global .attribute(.unified(1)) .u32 x;"),
            "line 4: found ')'; expected ',' between the halves of an identifier");
  EXPECT_EQ(error_of_module(".global .attribute(.managed .u32 x;"),
            "line 4: found '.u32'; expected ')' or ',' after an attribute");
}

TEST(AssemblyErrorsTest, RegistersAsParameters) {
  EXPECT_EQ(error_of_module(".func f(.reg .pred x) {}"),
            "line 4: found a predicate as a parameter; expected a type with bytes");
  EXPECT_EQ(error_of_module(".func f(.reg .b32 x<3>) {}"),
            "line 4: found '<'; expected ')' or ',' after a parameter");
  EXPECT_EQ(error_of_module(".func f(.local .b32 x) {}"),
            "line 4: found '.local'; expected '.param' or '.reg' of a parameter");
  EXPECT_EQ(error_of_module(".func f(.reg .b32 x, .reg .b32 x) {}"),
            "line 4: 'x' is declared in this scope already");
}

TEST(AssemblyErrorsTest, LaunchBounds) {
  EXPECT_EQ(error_of_module(".entry k() .maxnreg {}"),
            "line 4: found '{'; expected a number after '.maxnreg'");
  EXPECT_EQ(error_of_module(".entry k() .maxntid 16*2 {}"),
            "line 4: found '*'; expected '{' or ';' after the head of a function");
  for (const char* blocks : {".reqnctapercluster 0", ".reqnctapercluster 4, 8"}) {
    EXPECT_EQ(error_of_module(".entry k() " + std::string(blocks) + " {}"),
              "line 4: '.reqnctapercluster' does not give a number of blocks from 1 to 16");
  }
  EXPECT_EQ(error_of_module(".entry k() .maxntid 4 .reqntid 4 {}"),
            "line 4: '.maxntid' and '.reqntid'; expected one of them");
  EXPECT_EQ(error_of_module(".entry k() .reqnctapercluster 2 .maxclusterrank 4 {}"),
            "line 4: '.maxclusterrank' and '.reqnctapercluster'; expected one of them");
  EXPECT_EQ(error_of_module(".entry k() .reqntid 4 .blocksareclusters {}"),
            "line 4: '.blocksareclusters' without '.reqnctapercluster'; expected both");
  EXPECT_EQ(error_of_module(".func f() .maxntid 4 {}"),
            "line 4: '.maxntid' is a directive of kernels; found it in a function");
  EXPECT_EQ(error_of_module(".entry k() .noreturn {}"),
            "line 4: '.noreturn' is a directive of functions; found it in a kernel");
  EXPECT_EQ(error_of_module(".func (.reg .b32 x) f() .noreturn {}"),
            "line 4: '.noreturn' of a function with results; expected none");
  EXPECT_EQ(error_of_module(".entry k() .reqnctapercluster 1, 1, 1, 1 {}"),
            "line 4: found '1'; expected at most three numbers of blocks");
}

}  // namespace
}  // namespace numpy_plugin::sim
