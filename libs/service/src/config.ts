/** Configuration: each variable is declared once with its type and default, and all problems are reported together at boot. */
export interface Variable<T> {
  readonly name: string
  readonly secret: boolean
  readonly fallback: string | undefined
  /** Returns the value, or throws an Error whose message completes "<NAME> …". */
  parse(raw: string): T
}

export type Variables = Record<string, Variable<unknown>>
export type ConfigOf<V extends Variables> = { readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : never }

interface Options<T> {
  default?: T
}

const declare = <T>(name: string, fallback: string | undefined, parse: (raw: string) => T, isSecret = false) =>
  ({ name, secret: isSecret, fallback, parse }) satisfies Variable<T>

export const text = (name: string, options: Options<string> & { pattern?: RegExp } = {}): Variable<string> =>
  declare(name, options.default, (raw) => {
    if (options.pattern && !options.pattern.test(raw)) throw new Error(`must match ${options.pattern.source}`)
    return raw
  })

/** Like text, but its value never appears in a boot message. */
export const secret = (name: string, options: Options<string> & { bytesMin?: number } = {}): Variable<string> =>
  declare(
    name,
    options.default,
    (raw) => {
      if (raw !== options.default && Buffer.byteLength(raw) < (options.bytesMin ?? 1))
        throw new Error(`must be at least ${options.bytesMin ?? 1} bytes long`)
      return raw
    },
    true,
  )

export const integer = (
  name: string,
  options: Options<number> & { min?: number; max?: number } = {},
): Variable<number> =>
  declare(name, options.default?.toString(), (raw) => {
    const value = Number(raw)
    const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options
    if (!/^-?\d+$/.test(raw) || !Number.isSafeInteger(value)) throw new Error('must be a whole number')
    if (value < min || value > max) throw new Error(`must lie between ${min} and ${max}`)
    return value
  })

export const flag = (name: string, options: Options<boolean> = {}): Variable<boolean> =>
  declare(name, options.default?.toString(), (raw) => {
    if (raw !== 'true' && raw !== 'false') throw new Error('must be true or false')
    return raw === 'true'
  })

/** Comma-separated; empty items are dropped. */
export const list = (name: string, options: Options<readonly string[]> = {}): Variable<readonly string[]> =>
  declare(name, options.default?.join(','), (raw) =>
    raw
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )

export const url = (name: string, options: Options<string> & { secret?: boolean } = {}): Variable<string> =>
  declare(
    name,
    options.default,
    (raw) => {
      if (!URL.canParse(raw)) throw new Error('must be a URL')
      return raw.replace(/\/$/, '')
    },
    options.secret ?? false,
  )

export const choice = <const T extends string>(
  name: string,
  values: readonly T[],
  options: Options<T> = {},
): Variable<T> =>
  declare(name, options.default, (raw) => {
    const found = values.find((value) => value === raw)
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return found
  })

/** Of programs that refuse something in production. Unset is production, so that nothing is allowed by omission. */
export const environmentVariable = {
  /** `local`, `test`, `staging` or `production`. Unset is production. */
  deploymentEnvironment: choice('DEPLOYMENT_ENVIRONMENT', ['local', 'test', 'staging', 'production'], {
    default: 'production',
  }),
}

/** The variables of every deployable. Port 0 means any free port. */
export const commonVariables = {
  healthPort: integer('HEALTH_PORT', { default: 0, min: 0, max: 65_535 }),
  rpcPort: integer('RPC_PORT', { default: 0, min: 0, max: 65_535 }),
  /** The address of every port of the process: gRPC, HTTP and health. Addresses other than loopback need TLS for gRPC. */
  bindAddress: text('BIND_ADDRESS', { default: '127.0.0.1' }),
  /** The address of the HTTP and health ports, where it is another than that of gRPC; empty for the same. */
  httpBindAddress: text('HTTP_BIND_ADDRESS', { default: '' }),
  /** PEM files of the mutual TLS between services, all three or none; read again when they change. */
  tlsCaFile: text('TLS_CA_FILE', { default: '' }),
  tlsCertFile: text('TLS_CERT_FILE', { default: '' }),
  tlsKeyFile: text('TLS_KEY_FILE', { default: '' }),
  /** Allows a service without TLS to bind to any address, for networks that only trusted systems can reach. */
  allowPlaintextPeers: flag('ALLOW_PLAINTEXT_PEERS', { default: false }),
  /** Default timeout of calls to other services, milliseconds. */
  rpcTimeoutMs: integer('RPC_TIMEOUT_MS', { default: 2_000, min: 100, max: 60_000 }),
  databaseUrl: url('DATABASE_URL', { secret: true }),
  natsUrl: text('NATS_URL'),
  natsNamespace: text('NATS_NAMESPACE', { default: '', pattern: /^[a-z0-9-]*$/ }),
  /** The private key of this service's NATS user (an nkey seed, `SU…`); empty for a server without users. */
  natsNkeySeed: secret('NATS_NKEY_SEED', { default: '' }),
  /** PEM file of the authority of the NATS server's certificate; empty for a server without TLS. */
  natsCaFile: text('NATS_CA_FILE', { default: '' }),
  logLevel: choice('LOG_LEVEL', ['silent', 'error', 'warn', 'info', 'debug'], { default: 'info' }),
  role: text('ROLE', { default: '' }),
  /** Time between the signal to stop and the stop, in which a load balancer removes this process, milliseconds. */
  drainDelayMs: integer('DRAIN_DELAY_MS', { default: 0, min: 0, max: 60_000 }),
}

/** All problems of the environment, one for each line. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`the environment is not complete:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Reads every declared variable, or throws one ConfigError that lists all problems. An empty variable counts as unset. */
export function readConfig<V extends Variables>(variables: V, env: NodeJS.ProcessEnv): ConfigOf<V> {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [key, variable] of Object.entries(variables)) {
    const given = env[variable.name]
    const raw = given === undefined || given === '' ? variable.fallback : given
    if (raw === undefined) {
      problems.push(`${variable.name} is required`)
      continue
    }
    try {
      values[key] = variable.parse(raw)
    } catch (error) {
      const shown = variable.secret ? '' : ` (it is ${JSON.stringify(raw)})`
      problems.push(`${variable.name} ${(error as Error).message}${shown}`)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return values as ConfigOf<V>
}
