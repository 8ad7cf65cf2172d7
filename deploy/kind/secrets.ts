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
  metadata: { name: string; namespace: string; labels?: Record<string, string> }
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
  const secret = (name: string, stringData: Record<string, string>): Resource => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    stringData,
  })
  /** With this label CloudNativePG gives the role a changed password at once. */
  const passwordSecret = (username: string, password: string): Resource => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${cluster}-${username.replaceAll('_', '-')}`,
      namespace,
      labels: { 'cnpg.io/reload': 'true' },
    },
    type: 'kubernetes.io/basic-auth',
    stringData: { username, password },
  })
  return [
    ...Object.entries(ofProcess).map(([name, variables]) => secret(`${release}-${name}`, variables)),
    secret('lettergate-provider', provider),
    ...Object.entries(databasePasswords).map(([role, password]) => passwordSecret(role, password)),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'nats-nkeys', namespace }, data: natsPublicKeys },
  ]
}
