import { setTimeout as sleep } from 'node:timers/promises'

type IsRefusedForNow = (error: unknown) => boolean

/** Whether an error says that nothing was done now, and that the caller may send the same call again. */
const isUnavailable: IsRefusedForNow = (error) => (error as { code?: unknown } | null)?.code === 'unavailable'

/** Whether the database was too busy for the call: it gave no connection, or no lock, or a statement was too slow. */
const isDatabaseBusy: IsRefusedForNow = (error) => {
  const { reason } = error as { reason?: unknown }
  return isUnavailable(error) && (reason === 'database' || reason === 'busy')
}

/**
 * Repeats a call that is refused because a loaded machine does not answer in time, or because others hold or changed its rows. It
 * waits longer before each try, at random, because many calls that are repeated at once would load the machine further.
 */
export async function patiently<T>(
  call: () => Promise<T>,
  triesMax = 30,
  isRefusedForNow: IsRefusedForNow = isUnavailable,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call()
    } catch (error) {
      if (!isRefusedForNow(error) || tries === triesMax) throw error
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

/**
 * The same unary call, repeated while the database is too busy for it. Says so on the error output, because on an idle machine
 * that is a fault.
 */
export const untilDatabaseAnswers =
  <Given extends unknown[]>(name: string, call: (...given: Given) => unknown) =>
  (...given: Given): Promise<unknown> =>
    patiently(
      async () => {
        try {
          return await call(...given)
        } catch (error) {
          if (isDatabaseBusy(error)) process.stderr.write(`repeated ${name}: ${(error as Error).message}\n`)
          throw error
        }
      },
      10,
      isDatabaseBusy,
    )
