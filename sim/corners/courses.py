"""How documents begin behind a byte order mark, and how they go on after their first error."""

import itertools
from collections.abc import Iterator

from sim.corners.tokens import filled

__all__ = ["documents"]

_MARK = b"\xef\xbb\xbf"

_DECLARATIONS = (
    b"",
    b"<?xml version='1.0'?>",
    b"<?xml version='1.0' encoding='utf-8'?>",
    b'<?xml version="1.1" standalone="yes"?>',
    b"<?xml version='1.0' encoding=\"ascii\" ?>",
    b"<?xml\tversion = '1.0'?>",
    b"<?xml encoding='utf-8'?>",
    b"<?xml?>",
    b"<?xm version='1.0'?>",
    b"<?xmlversion='1.0'?>",
    b"<?p?>",
    b" <?xml version='1.0'?>",
    b"x<?xml version='1.0'?>",
)

_BEHIND = (b"", b"\n", b"<!---->", b"<?q?>", b"<!DOCTYPE a>", b"<?xml version='1.0'?>", _MARK)

_ROOTS = (b"<a/>", b"<a></a>", b"<ab>x</ab>", b"<a b='c'/>", b"<abc/>", b"<a")

_ERRORS = (
    b"<a b='<%s",
    b'<a b="<%s',
    b"<a b='<?%s",
    b"<a b='<!--%s",
    b"<a b='<![CDATA[%s",
    b"<a b='<!DOCTYPE %s",
    b'<a b="<?%s',
    b'<a b="<!--%s',
    b"<a b='&lt;<?%s",
    b"<a <?%s",
    b"<a <!--%s",
    b"<a <%s",
    b"<<?%s",
    b"<a &%s",
    b"<a &lt;%s",
    b"<a &#65;%s",
    b"<a b=&lt;%s",
    b"</&lt;%s",
    b"</?%s",
    b"</!--%s",
    b"<a></a b%s",
    b"<a b c%s",
    b"<a b=c%s",
    b"<a b='c'd%s",
    b"<1%s",
    b"<a>]]>%s",
    b"<a>\x01%s",
    b"<a>\xff%s",
    b"<a b='\x01%s",
    b"<a b='\xff%s",
    b"<a><!--\x01%s",
    b"<a><!-- -- %s",
    b"<a><!-%s",
    b"<a><![CDATX[%s",
    b"<a><![CDATA[\x01%s",
    b"<a><![CDATA[\xff%s",
    b"<a><?1%s",
    b"<a><?p\x01%s",
    b"<a><?p \x01%s",
    b"<a><?xml %s",
    b"<a>&unknown;%s",
    b"<a>&#0;%s",
    b"<a>& %s",
    b"<a b='&unknown;%s",
    b"<a b='&#xD800;%s",
    b"<?xml version='2'%s",
    b"<?xml version='1.0' encoding=''%s",
    b"<?xml version='1.0' encoding='latin1'?>%s",
    b"<!DOCTYPE %s",
    b"<!DOCTYPE a ]%s",
    b"<!DOCTYPE a [\x01%s",
    b"<!DOCTYPE a><!DOCTYPE a>%s",
    b"<a/><!DOCTYPE a>%s",
    b"<a/><![CDATA[%s",
    b"<a/>x%s",
    b"<a/><b/>%s",
    b"</a>%s",
    b"x%s",
    b"<a:b/>%s",
    b"<a b='' b=''>%s",
    b"<a></b>%s",
    b"<a b:c=''>%s",
    b"\x00%s",
)
"""First errors of a document, each with the place of what follows."""

_CUT = (b"&bad;", b"&#0;", b"&;", b"&#x;", b"&a ", b"& ", b"&#xD800;", b"&lt;&no;", b"&\xff", b"&a", b"\x01", b"")
"""What ends a document with an error inside a value or a name, after which nothing is asked of the part before it."""

_BEGUN = (
    b"<a xmlns:p='",
    b'<a xmlns:pqr="',
    b"<a xmlns='",
    b"<a b='",
    b"<a b='' b='",
    b"<a p:b='",
    b"<a xmlns:p='u' p:b='",
    b"<a></a ",
    b"<a></b",
    b"<p:a",
    b"<a>x",
)

_SIZE = 700


def _remainders() -> tuple[bytes, ...]:
    """What follows: bytes that pass four at a time wherever they stand, tags, rare markup, and quotes."""
    plain = filled(36) * (_SIZE // 36)
    tags = b"<b c='d'>x</b>" * (_SIZE // 14)
    rare = b"<?p d?>&lt;<!--c--><![CDATA[e]]>" * (_SIZE // 64)
    quotes = b"'>\"x<? ='/" * (_SIZE // 20)
    return plain, tags, rare, quotes


def documents() -> Iterator[bytes]:
    """All of them; the errors stand in every byte lane, before remainders of every sort."""
    for declaration, behind, root in itertools.product(_DECLARATIONS, _BEHIND, _ROOTS):
        yield _MARK + declaration + behind + root
        if len(declaration + behind + root) % 3 == 0:
            yield declaration + behind + root
    for number, (begun, cut) in enumerate(itertools.product(_BEGUN, _CUT)):
        for shift in (number % 4, (number // 12 + 1) % 4):
            yield b" " * shift + begun + cut
            yield b" " * shift + begun + cut + b"'/><c></d>"
    # One prefix all along: who has found it need not search for it again at each tag.
    for number, prefix in enumerate((b"p", b"pqr", b"prefix")):
        declared = b"".join(b" xmlns:q%d='u'" % one for one in range(4 * number))
        root = b"<%s:r xmlns:%s='u'%s>" % (prefix, prefix, declared)
        for inner in (b"<%s:a></%s:a>", b"<%s:a/><b/>x<%s:b/>", b"<a %s:b=''></a><a %s:c=''/>"):
            yield root + inner % (prefix, prefix) * 60 + b"</%s:r>" % prefix
    remainders = _remainders()
    for number, error in enumerate(_ERRORS):
        for turn in range(2):
            yield b"\n" * ((number + turn) % 4) + error % remainders[(number // 4 + 2 * turn) % 4 if turn else 0]
