import type { Command } from "commander";
import { UsageError } from "./exit-codes.ts";

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
  program
    .command("completion")
    .summary("print what makes your shell complete longwave's commands")
    .description(
      'For bash: eval "$(longwave completion bash)" in ~/.bashrc. For zsh the same in ~/.zshrc. For fish: longwave completion fish > ~/.config/fish/completions/longwave.fish',
    )
    .argument("<shell>", Object.keys(SCRIPTS).join(", "))
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
      for (const word of completions(program, words)) process.stdout.write(`${word}\n`);
    });
}

/** Suggestions for the last, incomplete word. */
export function completions(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? "";
  let at = program;
  for (const word of words.slice(0, -1)) {
    const next = at.commands.find((command) => command.name() === word);
    if (next) at = next;
  }
  const names = typed.startsWith("-")
    ? [...at.options, ...program.options].flatMap((option) => option.long ?? [])
    : at
        .createHelp()
        .visibleCommands(at)
        .map((command) => command.name());
  return [...new Set(names)].filter((name) => name.startsWith(typed));
}
