import { makeKey, publicKeyOf } from '@lettergate/events/broker-keys'
import { serverConfig } from '@lettergate/events/broker-users'
import { configuredUsers, userNames } from '@lettergate/nats/users'

/** The user of the tests: it may do everything, so that tests can look and can simulate faults. */
export const testUser = 'stage'

/** A seed for every user of the broker and for the tests. */
export const makeSeeds = (names: readonly string[] = userNames): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, makeKey().seed]))

/**
 * The configuration of the server for users with these seeds. It is that of production with two differences: the rights of
 * each user hold in every namespace, because test files share one server, and there is a user for the tests.
 */
export const testServerConfig = (seeds: Record<string, string>): string =>
  serverConfig([...configuredUsers((name) => publicKeyOf(seeds[name]!), '*'), { key: publicKeyOf(seeds[testUser]!) }])
