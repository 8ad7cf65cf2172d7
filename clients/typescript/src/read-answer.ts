import type { Failure, Result } from './result.ts'
import type { Route } from './route.ts'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", nbsp: ' ' }

/** What an error page says, as plain text: each item of a list on its own line. */
export function messageOf(page: string): string {
  const main =
    /<h1>[\s\S]*?<\/h1>([\s\S]*?)<p class="reference">/.exec(page)?.[1] ??
    page.replace(/<(style|head)[\s\S]*?<\/\1>/g, '')
  return main
    .replace(/\s+/g, ' ')
    .replace(/<\/(?:li|p)>/g, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&([a-z]+|#x?\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** The seconds of a Retry-After header, which is a number or a date. */
export function secondsOf(retryAfter: string | null, now: number): number | undefined {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - now) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

/** Reads a response to its end. A success that is not what the operation answers is a failure. */
export async function readAnswer<Output>(route: Route, response: Response, sentId: string): Promise<Result<Output>> {
  const correlationId = response.headers.get('x-correlation-id') ?? sentId
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  if (response.ok && route.answer === 'text') {
    return { ok: true, status: response.status, data: text as Output, correlationId }
  }
  const data = response.ok && isJson ? parsed(text) : undefined
  if (data !== undefined) return { ok: true, status: response.status, data: data as Output, correlationId }
  if (response.ok) {
    const message = 'The answer is not from Lettergate, or was cut. Check the base URL and the proxies on the way.'
    return { ok: false, status: response.status, reason: 'unexpected_answer', message, correlationId }
  }
  const retryAfter = secondsOf(response.headers.get('retry-after'), Date.now())
  const failure: Failure = {
    ok: false,
    status: response.status,
    reason: response.headers.get('x-error-reason') ?? `http_${response.status}`,
    message: messageOf(text) || `The service answered ${response.status}.`,
    correlationId,
  }
  return retryAfter === undefined ? failure : { ...failure, retryAfter }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
