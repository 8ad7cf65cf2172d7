import { newKeys, type GivenSecrets } from './new-keys.ts'

export interface SecretNames {
  release: string
  namespace: string
  /** of charts/lettergate-database */
  cluster: string
}

interface Resource {
  apiVersion: 'v1'
  kind: 'Secret' | 'ConfigMap'
  metadata: { name: string; namespace: string }
  type?: string
  stringData?: Record<string, string>
  data?: Record<string, string>
}

/**
 * Every Secret that a new installation with a cluster of charts/lettergate-database needs, with new random keys, and the public
 * keys for NATS.
 */
export function newSecrets({ release, namespace, cluster }: SecretNames, given: GivenSecrets): Resource[] {
  const { ofProcess, provider, databasePasswords, natsPublicKeys } = newKeys(given)
  const secret = (name: string, stringData: Record<string, string>, type?: string): Resource => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    ...(type === undefined ? {} : { type }),
    stringData,
  })
  return [
    ...Object.entries(ofProcess).map(([name, variables]) => secret(`${release}-${name}`, variables)),
    secret('lettergate-provider', provider),
    ...Object.entries(databasePasswords).map(([username, password]) =>
      secret(`${cluster}-${username.replaceAll('_', '-')}`, { username, password }, 'kubernetes.io/basic-auth'),
    ),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'nats-nkeys', namespace }, data: natsPublicKeys },
  ]
}
