import { publicKeyOf } from '@lettergate/events/broker-keys'
import { serverConfigFile } from '@lettergate/nats/server-config'
import { keyVariable } from '@lettergate/nats/users'
import { startNats, type RunningNats } from '@lettergate/stage/nats'
import type { Secrets } from './state.ts'

/** The options of the stack's NATS: its configuration, and the public keys of its users. */
export const brokerSettings = ({ natsSeeds }: Secrets) => ({
  config: serverConfigFile(),
  environment: Object.fromEntries(
    Object.entries(natsSeeds).map(([user, seed]) => [keyVariable(user), publicKeyOf(seed)]),
  ),
})

/** Starts the stack's NATS, which continues after this process. Its streams are kept in the directory. */
export const startBroker = ({
  directory,
  secrets,
  port,
  print,
}: {
  directory: string
  secrets: Secrets
  port: number
  print: (line: string) => void
}): Promise<RunningNats> => startNats({ directory, ...brokerSettings(secrets), port, detached: true, print })
