import { Argument, type Command } from 'commander'
import type { Session } from '../session.ts'

/** The scripts ask the program itself for the words, so that they stay right for every version. */
const scripts = {
  bash: `_lettergate() {
  COMPREPLY=($(compgen -W "$(lettergate complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _lettergate lettergate
`,
  zsh: `#compdef lettergate
_lettergate() {
  compadd -- \${(f)"$(lettergate complete -- "\${words[@]:1:CURRENT-2}" 2>/dev/null)"} || _files
}
compdef _lettergate lettergate
`,
  fish: `complete -c lettergate -a '(lettergate complete -- (commandline -opc)[2..] 2>/dev/null)'
`,
}

/** The commands and options that may follow these words. */
export function wordsAfter(program: Command, words: readonly string[]): string[] {
  const command = words.reduce((found, word) => found.commands.find((one) => one.name() === word) ?? found, program)
  const commands = command.commands.map((one) => one.name()).filter((name) => name !== 'complete')
  const options = command.options.map(({ long }) => long).filter((long) => long !== undefined && long !== null)
  return [...commands, ...options, ...(command === program ? [] : ['--help'])]
}

/** `completion`: a script for the shell. */
export function addCompletion(program: Command, session: Session): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      `
  bash: echo 'eval "$(lettergate completion bash)"' >> ~/.bashrc
  zsh:  echo 'eval "$(lettergate completion zsh)"' >> ~/.zshrc      after compinit
  fish: lettergate completion fish > ~/.config/fish/completions/lettergate.fish`,
    )
    .action((shell: keyof typeof scripts) => session.terminal.out(scripts[shell]))
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => session.terminal.out(`${wordsAfter(program, words).join('\n')}\n`))
}
