import { serverConfig } from '@lettergate/events/broker-users'
import { configuredUsers, keyVariable } from './users.ts'

const heading = (
  namespace: string,
) => `# Made by "node deploy/nats/src/print-config.ts${namespace && ` ${namespace}`}"; what it should say is decided in users.ts beside that file.
# Each user is known by a public key, which the environment of nats-server gives. The directory of the store, listeners and TLS
# are lines in a file that includes this one. Do not give the store as a flag: then the server refuses to read its file again.
`

/** The configuration of the broker with references to the environment for the public keys. */
export const serverConfigFile = (namespace = ''): string =>
  heading(namespace) + serverConfig(configuredUsers((name) => `$${keyVariable(name)}`, namespace))
