import { bearer, inWorkspace, openApi, type ApiClient, type ApiWorkspaceClient, type Result } from '@lettergate/client'
import type { Environment } from './config.ts'
import { exits, RefusedError, UsageError, type Exit } from './exit.ts'
import { printable, printableJson } from './printable.ts'
import { progressOn } from './progress.ts'
import { readStored } from './settings-file.ts'
import type { Terminal } from './terminal.ts'

/** The options that every command has. */
export interface GlobalOptions {
  url?: string
  workspace?: string
  json?: boolean
}

/** What a command uses: the deployment as its options, the environment and the settings file name it, and the terminal. */
export interface Session {
  terminal: Terminal
  environment: Environment
  /** What the command ends with; 0 unless it says otherwise. */
  exit: Exit
  baseUrl(): string
  /** the token; undefined before signing in */
  token(): string | undefined
  workspaceName(): string
  api(token?: string): ApiClient
  workspace(): ApiWorkspaceClient
  isJson(): boolean
  /** The data of a success. A failure ends the command. */
  data<Output>(answer: Promise<Result<Output>>): Promise<Output>
  /** Prints the data as JSON with `--json`, else as text. */
  show<Output>(data: Output, text: (data: Output) => string): void
  /** Asks for a confirmation. Without a person to ask, the option must have been given. */
  confirm(given: string | undefined, phrase: string, option: string): Promise<void>
  /** Reads again and again until a result is final, and shows each line in between. */
  watch<State>(
    read: () => Promise<State>,
    line: (state: State) => string,
    isFinal: (state: State) => boolean,
    limits: WatchLimits,
  ): Promise<State>
}

/** As options of the command line, in seconds. */
export interface WatchLimits {
  every: string
  timeout: string
}

const localHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A token travels over plain HTTP only to this machine. */
function checkedUrl(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new UsageError(`“${url}” is no address. Write it like https://mail.example.org.`)
  if (parsed.protocol === 'http:' && !localHosts.has(parsed.hostname))
    throw new UsageError(`${url} is not encrypted, and a token would be readable on the way. Use https.`)
  return url
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Opens a session; the options are read when a command runs. */
export function openSession(environment: Environment, terminal: Terminal, options: () => GlobalOptions): Session {
  const stored = () => readStored(environment.settingsFile)
  const session: Session = {
    terminal,
    environment,
    exit: exits.done,
    baseUrl: () => checkedUrl(options().url ?? environment.baseUrl ?? stored().baseUrl ?? 'http://127.0.0.1:8080'),
    token: () => environment.token ?? stored().token,
    workspaceName() {
      const name = options().workspace ?? environment.workspace ?? stored().workspace
      if (name === undefined)
        throw new UsageError(
          'Name a workspace: --workspace organization/workspace. `lettergate workspaces` lists yours.',
        )
      if (!/^[^/]+\/[^/]+$/.test(name)) throw new UsageError(`“${name}” is no workspace. Write organization/workspace.`)
      return name
    },
    api(token = session.token()) {
      return openApi({ baseUrl: session.baseUrl(), ...(token === undefined ? {} : { credential: bearer(token) }) })
    },
    workspace: () => inWorkspace(session.api(), session.workspaceName()),
    isJson: () => options().json ?? false,
    async data(answer) {
      const result = await answer
      if (!result.ok) throw new RefusedError(result)
      return result.data
    },
    show(data, text) {
      terminal.out(session.isJson() ? `${printableJson(data)}\n` : printable(text(data)))
    },
    async confirm(given, phrase, option) {
      const answer = given ?? (terminal.isInteractive ? await terminal.ask(`Type “${phrase}” to confirm: `) : undefined)
      if (answer === undefined) throw new UsageError(`This needs a confirmation: ${option} "${phrase}"`)
      if (answer !== phrase) throw new UsageError(`That is not “${phrase}”. Nothing was done.`)
    },
    async watch(read, line, isFinal, limits) {
      const everyMs = secondsOf(limits.every) * 1_000
      const end = performance.now() + secondsOf(limits.timeout) * 1_000
      const progress = progressOn(terminal)
      try {
        for (;;) {
          const state = await read()
          if (!session.isJson()) progress.show(line(state))
          if (isFinal(state)) return state
          if (performance.now() + everyMs > end) {
            session.exit = exits.later
            return state
          }
          await wait(everyMs)
        }
      } finally {
        progress.end()
      }
    },
  }
  return session
}

function secondsOf(option: string): number {
  const seconds = Number(option)
  if (!Number.isFinite(seconds) || seconds <= 0) throw new UsageError(`“${option}” is no number of seconds.`)
  return seconds
}
