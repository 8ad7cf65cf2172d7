import { resolve } from 'node:path'
import { certificatesIn } from '@lettergate/local/launcher/processes'
import { readStack } from '@lettergate/local/launcher/state'
import { choice, ConfigError, environmentVariable, flag, integer, readConfig, text } from '@lettergate/service/config'
import type { TlsFiles } from '@lettergate/service'
import { ensureCertificates } from '@lettergate/stage/certificates'

/** The name in the certificate of this program. Only rpcs that name it as a caller answer it. */
export const programName = 'reconstruct'

const variables = {
  ...environmentVariable,
  allowProductionSending: flag('ALLOW_PRODUCTION_SENDING_ACTIVATION', { default: false }),
  testSends: flag('TEST_SENDS_ENABLED', { default: false }),
  stateDirectory: text('LETTERGATE_STATE_DIR', { default: '.local' }),
  identityTarget: text('IDENTITY_TARGET', { default: '' }),
  campaignsTarget: text('CAMPAIGNS_DELIVERY_TARGET', { default: '' }),
  automationsTarget: text('AUTOMATIONS_TARGET', { default: '' }),
  tlsCaFile: text('TLS_CA_FILE', { default: '' }),
  tlsCertFile: text('TLS_CERT_FILE', { default: '' }),
  tlsKeyFile: text('TLS_KEY_FILE', { default: '' }),
  rpcTimeoutMs: integer('RPC_TIMEOUT_MS', { default: 30_000, min: 100, max: 60_000 }),
  logLevel: choice('LOG_LEVEL', ['silent', 'error', 'warn', 'info', 'debug'], { default: 'warn' }),
}

/** The variables of this process. */
export const environment: NodeJS.ProcessEnv = process.env

/** The services to write to, and the certificate for them. */
export interface ReconstructionTargets {
  readonly identity: string
  readonly campaigns: string
  readonly automations: string
  readonly tls: TlsFiles
}

export type ReconstructConfig = ReturnType<typeof loadConfig>

/**
 * The settings of the environment, without looking at a stack. Without targets the program writes to a local stack, so the environment
 * is local unless it is named. Throws a ConfigError that lists all problems.
 */
export const loadConfig = (env: NodeJS.ProcessEnv) =>
  readConfig(variables, env['IDENTITY_TARGET'] ? env : { DEPLOYMENT_ENVIRONMENT: 'local', ...env })

/** The open doors to production or to recipients that the caller's own environment names; empty if it is harmless. */
export function dangersIn(config: ReconstructConfig): string[] {
  return [
    ...(config.deploymentEnvironment === 'production' ? ['DEPLOYMENT_ENVIRONMENT is production, or not set'] : []),
    ...(config.allowProductionSending ? ['ALLOW_PRODUCTION_SENDING_ACTIVATION is true'] : []),
    ...(config.testSends ? ['TEST_SENDS_ENABLED is true'] : []),
  ]
}

/** The addresses of the environment, or those of the local stack, whose authority then issues the certificate. */
export async function targetsOf(config: ReconstructConfig): Promise<ReconstructionTargets> {
  const { identityTarget: identity, campaignsTarget: campaigns, automationsTarget: automations } = config
  if (identity !== '' && campaigns !== '' && automations !== '') {
    const tls = { ca: config.tlsCaFile, cert: config.tlsCertFile, key: config.tlsKeyFile }
    if (Object.values(tls).includes(''))
      throw new ConfigError(['TLS_CA_FILE, TLS_CERT_FILE and TLS_KEY_FILE are required with the targets'])
    return { identity, campaigns, automations, tls }
  }
  if (identity !== '' || campaigns !== '' || automations !== '')
    throw new ConfigError(['IDENTITY_TARGET, CAMPAIGNS_DELIVERY_TARGET and AUTOMATIONS_TARGET must be set together'])
  const directory = resolve(config.stateDirectory)
  const stack = readStack(directory)
  if (!stack || stack.processes.length === 0)
    throw new ConfigError([
      `no stack runs from ${directory}; "make up" starts one, or set IDENTITY_TARGET and the others`,
    ])
  const certificates = await ensureCertificates(certificatesIn(directory), [programName])
  const local = (port: string) => `127.0.0.1:${stack.ports[port]}`
  return {
    identity: local('gateway.rpc'),
    campaigns: local('campaigns-delivery.rpc'),
    automations: local('automations.rpc'),
    tls: certificates[programName]!,
  }
}
