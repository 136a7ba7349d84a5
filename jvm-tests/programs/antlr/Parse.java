import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.LexerInterpreter;
import org.antlr.v4.runtime.ParserInterpreter;
import org.antlr.v4.runtime.tree.ParseTree;
import org.antlr.v4.tool.Grammar;

/** ANTLR: a grammar of expressions, sentences that it has and some that it has not. */
public final class Parse {
    private Parse() {}

    public static void main(String[] args) throws Exception {
        Grammar grammar = new Grammar(String.join("\n", "grammar Sums;", "all : line+ EOF ;", "line : NAME '=' sum ';' | sum ';' ;",
                "sum : sum ('*' | '/') sum | sum ('+' | '-') sum | '-' sum | '(' sum ')' | call | NUMBER | NAME ;", "call : NAME '(' (sum (',' sum)*)? ')' ;",
                "NAME : [a-z]+ ;", "NUMBER : [0-9]+ ('.' [0-9]+)? ;", "SPACE : [ \\t\\n]+ -> skip ;"));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 60; i++) text.append("v = f(").append(i).append(", (a + ").append(i * 3).append(") * -b) - c / 2 * g();\n");
        for (String input : new String[] {text.toString(), "a = ;", "1 + + 2; b = (3;", "f(1,,2); @"}) {
            LexerInterpreter lexer = grammar.createLexerInterpreter(CharStreams.fromString(input));
            lexer.removeErrorListeners();
            ParserInterpreter parser = grammar.createParserInterpreter(new CommonTokenStream(lexer));
            parser.removeErrorListeners();
            ParseTree tree = parser.parse(grammar.getRule("all").index);
            System.out.println(tree.getText().length() + " " + tree.getChildCount() + " " + parser.getNumberOfSyntaxErrors());
        }
    }
}
