import { Argument, type Command, type Option } from "commander";
import { UsageError } from "./exit-codes.ts";
import { readProfiles } from "./profiles.ts";

// The shells query the program itself, so that suggestions stay up to date.
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_longwave() {
  local IFS=$'\\n'
  COMPREPLY=($(longwave __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _longwave longwave`,
  zsh: `#compdef longwave
_longwave() {
  local -a found
  found=("\${(@f)$(longwave __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _longwave longwave`,
  fish: `complete -c longwave -f -a '(longwave __complete (commandline -opc)[2..-1] (commandline -ct | string collect --allow-empty) 2>/dev/null)'`,
};

export function addCompletion(program: Command): void {
  const shell = new Argument("<shell>", "the shell");
  shell.argChoices = Object.keys(SCRIPTS);
  program
    .command("completion")
    .summary("print what makes your shell complete longwave's commands")
    .description(
      'For bash: eval "$(longwave completion bash)" in ~/.bashrc. For zsh the same in ~/.zshrc. For fish: longwave completion fish > ~/.config/fish/completions/longwave.fish',
    )
    .addArgument(shell)
    .action((shell: string) => {
      const script = SCRIPTS[shell];
      if (script === undefined) {
        throw new UsageError(
          `There is completion for ${Object.keys(SCRIPTS).join(", ")}; ${shell} is none of them.`,
        );
      }
      process.stdout.write(`${script}\n`);
    });
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .helpOption(false)
    .action((words: string[]) => {
      for (const word of completions(program, words, process.env))
        process.stdout.write(`${word}\n`);
    });
}

/** Suggestions for the last, incomplete word: values of an option, options, or commands. */
export function completions(
  program: Command,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): string[] {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const at = commandAt(program, before);
  const options = [...at.options, ...program.options];
  const [flag, value] = splitFlag(typed);
  const named = value === undefined ? (before.at(-1) ?? "") : flag;
  const option = options.find(({ long, short }) => long === named || short === named);
  if (option && (option.required || option.optional)) {
    const prefix = value === undefined ? "" : `${flag}=`;
    return listed(valuesOf(option, env), value ?? typed).map((one) => `${prefix}${one}`);
  }
  if (typed.startsWith("-"))
    return startingWith(
      typed,
      options.flatMap(({ long }) => long ?? []),
    );
  const commands = at.createHelp().visibleCommands(at);
  const values = at.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return startingWith(typed, [...commands.map((command) => command.name()), ...values]);
}

function commandAt(program: Command, words: readonly string[]): Command {
  return words.reduce(
    (at, word) => at.commands.find((command) => command.name() === word) ?? at,
    program,
  );
}

/** `--status=sen` as flag and value; the value is absent in any other word. */
function splitFlag(word: string): [flag: string, value?: string] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function valuesOf(option: Option, env: NodeJS.ProcessEnv): readonly string[] {
  if (option.long !== "--profile") return option.argChoices ?? [];
  try {
    return Object.keys(readProfiles(env).profiles);
  } catch {
    return [];
  }
}

/** Completes the last part of a list such as `message.sent,mess`. */
function listed(values: readonly string[], typed: string): string[] {
  const done = typed.slice(0, typed.lastIndexOf(",") + 1);
  return startingWith(typed.slice(done.length), values).map((value) => `${done}${value}`);
}

function startingWith(typed: string, names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name.startsWith(typed));
}
