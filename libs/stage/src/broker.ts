import { makeKey, publicKeyOf } from '@lettergate/events/broker-keys'
import { serverConfig } from '@lettergate/events/broker-users'
import { configuredUsers, userNames } from '@lettergate/nats/users'

/** The user of tests themselves: it may do everything, to look and to break things. */
export const testUser = 'stage'

/** A seed for every user of the broker and for the tests themselves. */
export const makeSeeds = (names: readonly string[] = userNames): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, makeKey().seed]))

/**
 * The server's configuration for users with these seeds. As in production, but that each user's rights hold in every
 * namespace, because test files share one server, and that the tests themselves are a user.
 */
export const testServerConfig = (seeds: Record<string, string>): string =>
  serverConfig([...configuredUsers((name) => publicKeyOf(seeds[name]!), '*'), { key: publicKeyOf(seeds[testUser]!) }])
