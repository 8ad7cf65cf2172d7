// node deploy/nats/src/make-key.ts: a new key pair for one user of NATS
import { makeKey } from '@lettergate/events/broker-keys'

const { seed, publicKey } = makeKey()
process.stdout.write(
  `seed (secret, NATS_NKEY_SEED of the service)   ${seed}\npublic key (NATS_NKEY_… of nats-server)        ${publicKey}\n`,
)
