import { Pool } from 'undici'

export interface LoadCall {
  /** default POST */
  method?: 'GET'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface CallCounts {
  done: number
  perSecond: number
  failures: number
}

export interface Driver {
  /** Sends calls on every connection for this time, then waits for the calls that have begun and counts them too. */
  run(seconds: number): Promise<CallCounts>
  close(): Promise<void>
}

/** Clients of one HTTP server. Each sends its next call after the answer to the last one. The number of a call, `n`, continues from run to run. */
export function openDriver(origin: string, connections: number, call: (n: number) => LoadCall): Driver {
  const pool = new Pool(origin, { connections })
  let n = 0

  async function send(): Promise<boolean> {
    const { method = 'POST', path, headers, body = null } = call((n += 1))
    const answer = await pool.request({
      method,
      path,
      headers: { ...(body === null ? {} : { 'content-type': 'application/json' }), ...headers },
      body,
    })
    await answer.body.dump()
    return answer.statusCode === 200
  }

  return {
    async run(seconds) {
      const began = performance.now()
      const until = began + seconds * 1_000
      const counted = { done: 0, failures: 0 }
      const client = async () => {
        while (performance.now() < until) counted[(await send()) ? 'done' : 'failures'] += 1
      }
      await Promise.all(Array.from({ length: connections }, client))
      return { ...counted, perSecond: (counted.done * 1_000) / (performance.now() - began) }
    },
    close: () => pool.close(),
  }
}
