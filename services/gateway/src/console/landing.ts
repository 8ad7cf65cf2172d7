import { sendHtml, type Handler } from '../engine/exchange.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>Lettergate console</title>
</head>
<body>
<main>
<h1>Lettergate console</h1>
<p>The console's pages come with a later release. Until then everything that is offered works through the API.</p>
<ul>
<li><a href="/docs">API reference</a></li>
<li><a href="/console/auth/sign-in">Sign in</a> to use the API from this browser</li>
<li><a href="/api/v1/me">Who am I?</a></li>
</ul>
</main>
</body>
</html>
`

/** Says what is there and what is not. */
export const consoleLanding: Handler = ({ res }) =>
  sendHtml(res, 200, page, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
