import { randomBytes } from 'node:crypto'
import type { Variables } from '@lettergate/service/config'
import type { Workload } from './workloads.ts'

interface ConfigModule {
  variables: Variables
  loadConfig: (env: NodeJS.ProcessEnv) => unknown
}

/** The configuration of a service, as its process loads it. */
export const configurationOf = async (service: string): Promise<ConfigModule> => {
  const folder = service === 'nats-streams' ? 'deploy/nats' : `services/${service}`
  return (await import(new URL(`../../${folder}/src/config.ts`, import.meta.url).href)) as ConfigModule
}

const key = (id: string) => `${id}:${randomBytes(32).toString('base64url')}`

/** A value for every secret that an installation must have. */
const secretValues: Record<string, string> = {
  DATABASE_URL: 'postgresql://role:password@database:5432/lettergate',
  NATS_NKEY_SEED: 'SUAA',
  WALLET_CLIENT_SECRET: 'secret',
  PREFERENCE_SIGNING_KEYS: key('k1'),
  CONSENT_PROOF_SIGNING_KEY: key('p1'),
  ERASURE_HASH_KEYS: key('e1'),
  CAMPAIGN_WEBHOOK_KEYS: key('k1'),
  IMPORT_KEYS: key('k1'),
}

/** The environment of a container as kubelet makes it, with values for its secrets; those that may be missing are. */
export const environmentOf = ({ container }: Pick<Workload, 'container'>): Record<string, string> =>
  Object.fromEntries(
    (container.env ?? []).flatMap(({ name, value, valueFrom }) => {
      if (valueFrom?.secretKeyRef?.optional === true) return []
      const key = valueFrom?.secretKeyRef?.key ?? name
      return [[name, valueFrom === undefined ? (value ?? '') : (secretValues[key] ?? 'a-secret-of-the-provider')]]
    }),
  )
