import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Fault } from '@lettergate/fault'
import { HttpFault } from '@lettergate/http'
import { sendHtml, type Handler } from '../engine/exchange.ts'
import { decode } from '../engine/route-table.ts'
import { fileOf, sendFile, type StoredFile } from './stored-file.ts'

/** The placeholder of the nonce in the built page; `vite.config.ts` of the console has the same. */
const noncePlaceholder = 'console-style-nonce'

/** The placeholder of the environment in `index.html` of the console. */
const environmentPlaceholder = 'console-environment'

/** Scripts, requests and frames of this origin only; the frames are previews of emails. Styles that the page makes itself need the nonce of the response. */
const policyWith = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * The address whose route answers for a path that has none: the console is one page for all its addresses, and says itself
 * that one has no page. Operations, the sign-in and files that are not there stay not found.
 */
export function consoleAddressOf(path: string): string | undefined {
  if (!path.startsWith('/console/') || /^\/console\/+(api|auth|assets)(\/|$)/.test(decode(path))) return undefined
  return path.endsWith('/') ? '/console/' : '/console'
}

const notBuilt = (cause?: unknown) =>
  new HttpFault(
    503,
    'console_not_built',
    'The pages of the console are not built. `make up` and `make demo` build them; elsewhere run `npm run build -w @lettergate/console` and set CONSOLE_DIRECTORY to services/console/dist. The API works without them.',
    { cause },
  )

/**
 * The built pages of the console in a directory: one page for all its addresses, and its assets, whose names change with their
 * content. The page knows the environment of the deployment, for a hint about the local users.
 */
export function consoleRoutes(
  directory: string,
  environment: string,
): { method: string; template: string; handler: Handler }[] {
  const assets = new Map<string, Promise<StoredFile>>()

  const page: Handler = async ({ res }) => {
    if (directory === '') throw notBuilt()
    const html = await readFile(join(directory, 'index.html'), 'utf8').catch((error: unknown) => {
      throw notBuilt(error)
    })
    const nonce = randomBytes(16).toString('base64')
    const filled = html.replaceAll(noncePlaceholder, nonce).replace(environmentPlaceholder, environment)
    sendHtml(res, 200, filled, policyWith(nonce))
  }

  const asset: Handler = async (exchange) => {
    const name = exchange.params['file']!
    const type = types[extname(name)]
    if (directory === '' || type === undefined || !/^[\w-][\w.-]*$/.test(name)) throw nothingHere()
    let file = assets.get(name)
    if (file === undefined) {
      file = readFile(join(directory, 'assets', name)).then((content) => fileOf(type, content))
      file.then(
        () => assets.set(name, file!),
        () => undefined,
      )
    }
    const stored = await file.catch((error: unknown) => {
      throw nothingHere(error)
    })
    sendFile(exchange, stored, 'public, max-age=31536000, immutable')
  }

  const withoutSlash: Handler = async ({ req, res }) => {
    res.writeHead(308, { Location: req.url!.replace(/\/(?=\?|$)/, '') }).end()
  }

  return [
    { method: 'GET', template: '/console', handler: page },
    { method: 'GET', template: '/console/', handler: withoutSlash },
    { method: 'GET', template: '/console/assets/{file}', handler: asset },
  ]
}

const nothingHere = (cause?: unknown) => new Fault('not_found', 'path', 'There is nothing at this address.', { cause })
