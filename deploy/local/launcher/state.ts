import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSeeds } from '@lettergate/stage/broker'

export interface RunningProcess {
  name: string
  role: string
  /** 1 for the first one */
  replica: number
  pid: number
  health_url: string
  log: string
}

/** `stack.json`: the addresses of all parts, for users and tests. */
export interface Stack {
  base_url: string
  console_url: string
  wallet_url: string
  provider_url: string
  dns: string
  database_url: string
  nats_url: string
  /** only with LETTERGATE_TRACES */
  traces_url?: string
  processes: RunningProcess[]
  /** the settings that each process was started with; a changed setting restarts it */
  fingerprints: Record<string, string>
  /** servers that the launcher started and `down` stops last */
  infrastructure: { name: string; pid: number }[]
  /** ports stay the same after restarts */
  ports: Record<string, number>
}

const pathOf = (directory: string) => join(directory, 'stack.json')

/** The stack that was started from this state directory; undefined without one. */
export function readStack(directory: string): Stack | undefined {
  return existsSync(pathOf(directory)) ? (JSON.parse(readFileSync(pathOf(directory), 'utf8')) as Stack) : undefined
}

/** Replaces `stack.json` atomically. */
export function writeStack(directory: string, stack: Stack): void {
  writeFileSync(`${pathOf(directory)}.new`, `${JSON.stringify(stack, null, 2)}\n`)
  renameSync(`${pathOf(directory)}.new`, pathOf(directory))
}

export interface Secrets {
  preferenceSigningKeys: string
  consentProofSigningKey: string
  erasureHashKeys: string
  campaignWebhookKeys: string
  importKeys: string
  walletClientSecret: string
  /** the private key of each user of the broker */
  natsSeeds: Record<string, string>
}

/** The random keys of the stack, generated once, because links in old emails must work after a restart. Keys of later releases are added. */
export function ownSecrets(directory: string): Secrets {
  const path = join(directory, 'secrets.json')
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>) : {}
  const made: Secrets = {
    preferenceSigningKeys: `k1:${randomBytes(32).toString('base64url')}`,
    consentProofSigningKey: `p1:${randomBytes(32).toString('base64url')}`,
    erasureHashKeys: `e1:${randomBytes(32).toString('base64url')}`,
    campaignWebhookKeys: `k1:${randomBytes(32).toString('base64url')}`,
    importKeys: `k1:${randomBytes(32).toString('base64url')}`,
    walletClientSecret: randomBytes(32).toString('base64url'),
    ...kept,
    natsSeeds: { ...makeSeeds(), ...kept.natsSeeds },
  }
  if (JSON.stringify(made) !== JSON.stringify(kept)) {
    mkdirSync(directory, { recursive: true })
    writeFileSync(path, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
  }
  return made
}
