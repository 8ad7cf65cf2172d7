import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers /healthz, /readyz and /metrics; returns false for other paths. A stand-in has no dependencies, so it is always ready. */
export function answerHealth(name: string, gauges: () => Record<string, number> = () => ({})) {
  return (req: IncomingMessage, res: ServerResponse): boolean => {
    const [path] = (req.url ?? '').split('?')
    if (path === '/healthz' || path === '/readyz') {
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'ok', role: name }))
      return true
    }
    if (path !== '/metrics') return false
    const { rss, heapUsed } = process.memoryUsage()
    const all = { process_resident_memory_bytes: rss, nodejs_heap_size_used_bytes: heapUsed, ...gauges() }
    const lines = Object.entries(all).map(([gauge, value]) => `# TYPE ${gauge} gauge\n${gauge} ${value}\n`)
    res.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(lines.join(''))
    return true
  }
}
