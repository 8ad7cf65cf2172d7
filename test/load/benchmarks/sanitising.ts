import { parse, serialize } from 'parse5'
import { openContentThreads } from '@lettergate/campaigns-delivery/content-threads'
import { createService } from '@lettergate/service'
import type { Result } from '../result.ts'

const bytes = 100 * 1024
const rounds = 40

/** Sanitises and checks one email of 100 kB and converts it to plain text, on the content thread. An author waits for this. */
export async function sanitising(): Promise<Result[]> {
  const html = offersEmail()
  const service = createService('bench', { logLevel: 'warn' })
  const threads = await service.use(
    openContentThreads(service, { contentThreads: 1, contentQueueMax: 4, contentThreadMemoryMb: 256 }),
  )
  const scope = { workspaceId: 'bench', deadline: Infinity, signal: new AbortController().signal }
  const authored = { subject: 'Bench', html, preheader: null, plainText: null, personalizationDefaults: {} }
  const ours = await medianMs(() => threads.prepare(authored, scope))
  await service.stop()
  const floor = await medianMs(() => serialize(parse(html)))
  return [
    {
      name: 'sanitising an email of 100 kB',
      unit: 'ms',
      ours,
      floor,
      floorIs: 'one parser reads and writes it; less is better',
    },
  ]
}

/** The median of the second half of the rounds. The first half is a warm-up, which starts the thread and compiles code. */
async function medianMs(work: () => unknown): Promise<number> {
  const took: number[] = []
  for (let round = 0; round < rounds * 2; round += 1) {
    const began = performance.now()
    await work()
    if (round >= rounds) took.push(performance.now() - began)
  }
  return took.toSorted((a, b) => a - b)[rounds / 2]!
}

/** A table of offers as in marketing email: inline styles in every element, a style sheet with media queries, links and images. */
function offersEmail(): string {
  const head = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Offers</title><style>
    table,td{mso-table-lspace:0pt;border-collapse:collapse!important}@media (max-width:600px){.w{width:100%!important}}
    @media (prefers-color-scheme:dark){.bg{background:#111!important}}</style></head>
    <body style="margin:0;padding:0"><table role="presentation" width="600" align="center"><tbody>`
  const foot = '</tbody></table><a href="{{ unsubscribe_url }}">Leave</a></body></html>'
  const row = (
    n: number,
  ) => `<tr><td class="w bg" valign="top" style="padding:20px 0;font-family:Helvetica,Arial,sans-serif;font-size:${12 + (n % 8)}px;color:#333333">
    <img src="https://i.test/${n}.png" width="560" alt="Offer ${n}" style="display:block;max-width:100%;border:0"><h2 style="margin:0 0 10px;line-height:1.3">Offer ${n}, {{ first_name }}</h2>
    <a href="https://shop.test/offer/${n}?a=1&amp;b=2" style="display:inline-block;padding:12px 24px;border-radius:4px;background-color:#0066ff;color:#ffffff;text-decoration:none">Buy &amp; save</a></td></tr>\n`
  let body = ''
  for (let n = 0; head.length + body.length + foot.length < bytes; n += 1) body += row(n)
  return head + body + foot
}
