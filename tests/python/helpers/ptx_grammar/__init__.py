"""The simulator's table of instructions against ptxas: forms and verdicts.

table.py reads the table, operands.py writes statements, neighbours.py those next to them,
verdicts.py asks the assembler and the simulated driver, exceptions.txt has the known disagreements.
"""
