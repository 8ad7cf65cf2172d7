import { publicKeyOf } from '@lettergate/events/broker-keys'
import { serverConfigFile } from '@lettergate/nats/server-config'
import { keyVariable } from '@lettergate/nats/users'
import { startNats, type RunningNats } from '@lettergate/stage/nats'
import type { Secrets } from './state.ts'

/** What the stack's own NATS is started with: its configuration, and the public keys of its users. */
export const brokerSettings = ({ natsSeeds }: Secrets) => ({
  config: serverConfigFile(),
  environment: Object.fromEntries(
    Object.entries(natsSeeds).map(([user, seed]) => [keyVariable(user), publicKeyOf(seed)]),
  ),
})

/** Starts the stack's own NATS, which outlives this process. Its streams are in the directory and stay. */
export const startBroker = ({
  directory,
  secrets,
  port,
  tell,
}: {
  directory: string
  secrets: Secrets
  port: number
  tell: (line: string) => void
}): Promise<RunningNats> => startNats({ directory, ...brokerSettings(secrets), port, detached: true, tell })
