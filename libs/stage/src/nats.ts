import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './ports.ts'

export interface RunningNats {
  url: string
  pid: number
  stop(): Promise<void>
}

const installers: readonly { manager: string; commands: readonly string[][] }[] = [
  {
    manager: 'apt-get',
    commands: [
      ['apt-get', 'update', '-qq'],
      [
        'env',
        'DEBIAN_FRONTEND=noninteractive',
        'apt-get',
        'install',
        '-y',
        '-qq',
        '--no-install-recommends',
        'nats-server',
      ],
    ],
  },
  { manager: 'apk', commands: [['apk', 'add', '--no-progress', 'nats-server']] },
  { manager: 'dnf', commands: [['dnf', 'install', '-y', '-q', 'nats-server']] },
  { manager: 'brew', commands: [['brew', 'install', '--quiet', 'nats-server']] },
]

const runs = (command: string, args: readonly string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** Finds nats-server, or installs it with the package manager of the system and prints that it does. */
export function findNatsServer(print: (line: string) => void = () => undefined): string {
  const find = () =>
    spawnSync('sh', ['-c', 'PATH="$PATH:/usr/sbin:/usr/local/sbin"; command -v nats-server'], {
      encoding: 'utf8',
    }).stdout.trim()
  const found = find()
  if (found) return found
  const installer = installers.find(({ manager }) => runs('sh', ['-c', `command -v ${manager}`]))
  const help =
    'Install nats-server (https://docs.nats.io/running-a-nats-service/introduction/installation) so that it is on PATH, or set NATS_URL=nats://host:4222 to one with JetStream.'
  if (!installer) throw new Error(`nats-server is not on this machine and no package manager was found. ${help}`)
  const prefix =
    installer.manager === 'brew' || process.getuid?.() === 0
      ? []
      : runs('sudo', ['-n', 'true'])
        ? ['sudo', '-n']
        : undefined
  if (!prefix)
    throw new Error(
      `nats-server is not on this machine and installing it with ${installer.manager} needs root. ${help}`,
    )
  print(`nats-server is not installed; installing it with ${installer.manager} (once)`)
  for (const command of installer.commands) {
    const [program, ...args] = [...prefix, ...command] as [string, ...string[]]
    const done = spawnSync(program, args, { encoding: 'utf8' })
    if (done.status !== 0 && command.includes('install'))
      throw new Error(`"${[program, ...args].join(' ')}" failed:\n${done.stderr}\n${help}`)
  }
  return find() || 'nats-server'
}

export interface NatsOptions {
  /** absolute; contains `nats/` and its log */
  directory: string
  /** the configuration of its users; without it every client is accepted */
  config?: string
  /** more variables for the server, for its configuration */
  environment?: Record<string, string>
  port?: number
  detached?: boolean
  print?: (line: string) => void
}

/** Starts nats-server with JetStream on a free port and returns once it accepts connections. */
export async function startNats(options: NatsOptions): Promise<RunningNats> {
  const program = findNatsServer(options.print)
  const store = join(options.directory, 'nats')
  mkdirSync(store, { recursive: true })
  const log = join(options.directory, 'nats.log')
  const config = join(options.directory, 'nats-server.conf')
  // Not as flags: a reload forgets them, and the server then refuses to change its store.
  writeFileSync(config, `${options.config ?? ''}\njetstream { store_dir: ${JSON.stringify(store)} }\n`)
  const output = openSync(log, 'a')
  const port = options.port ?? (await freePort())
  const child = spawn(program, ['-a', '127.0.0.1', '-p', String(port), '-c', config], {
    stdio: ['ignore', output, output],
    env: { ...options.environment },
    detached: options.detached ?? false,
  })
  for (const end = Date.now() + 120_000; !(await accepts(port));) {
    if (child.exitCode !== null || Date.now() > end)
      throw new Error(`nats-server did not start. The end of ${log}:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
    await sleep(30)
  }
  if (options.detached) child.unref()
  return {
    url: `nats://127.0.0.1:${port}`,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
