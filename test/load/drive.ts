import { Pool } from 'undici'

export interface Call {
  /** default POST */
  method?: 'GET'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Rate {
  perSecond: number
  failures: number
}

/** Calls an HTTP server from `connections` connections for `seconds`, after a warm-up of five seconds that does not count: five processes compile themselves. */
export async function drive(
  origin: string,
  options: { connections: number; seconds: number; call: (n: number) => Call },
): Promise<Rate> {
  const pool = new Pool(origin, { connections: options.connections })
  let n = 0
  let done = 0
  let failures = 0
  let counting = false
  let ended = false
  const worker = async () => {
    while (!ended) {
      const { method = 'POST', path, headers, body = null } = options.call((n += 1))
      const answer = await pool.request({
        method,
        path,
        headers: { ...(body === null ? {} : { 'content-type': 'application/json' }), ...headers },
        body,
      })
      await answer.body.dump()
      if (!counting || ended) continue
      if (answer.statusCode === 200) done += 1
      else failures += 1
    }
  }
  const workers = Array.from({ length: options.connections }, worker)
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  counting = true
  const began = performance.now()
  await new Promise((resolve) => setTimeout(resolve, options.seconds * 1_000))
  const elapsed = (performance.now() - began) / 1_000
  ended = true
  await Promise.all(workers)
  await pool.close()
  return { perSecond: done / elapsed, failures }
}
