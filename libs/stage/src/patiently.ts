import { setTimeout as sleep } from 'node:timers/promises'

/** Whether an error says that nothing was done now, and that the caller may send the same call again. */
const isUnavailable = (error: unknown) => (error as { code?: unknown } | null)?.code === 'unavailable'

/**
 * Repeats a call that is refused because a loaded machine does not answer in time, or because others hold or changed its rows. It
 * waits longer before each try, at random, because many calls that are repeated at once would load the machine further.
 */
export async function patiently<T>(call: () => Promise<T>, triesMax = 30): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call()
    } catch (error) {
      if (!isUnavailable(error) || tries === triesMax) throw error
      await sleep(Math.random() * Math.min(100 * tries, 1_000))
    }
  }
}

/** The same client, whose unary calls are repeated in this way. */
export const patient = <Client extends object>(client: Client): Client =>
  new Proxy(client, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name)
      if (typeof call !== 'function') return call
      return (...given: unknown[]) => patiently(async () => (await Reflect.apply(call, target, given)) as unknown)
    },
  })
