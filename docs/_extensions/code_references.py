"""Code in documents and docstrings as references: `npp.fuse` links to its page.

Inline code that begins with a public module's name, and names of this package's exceptions, are
resolved when the site is built. A name that does not exist is a warning, so a document that
mentions a removed function fails the build.
"""

from __future__ import annotations

from typing import Any

from documented_names import exists, qualified_name
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform


class CodeReferences(SphinxTransform):
    """Wraps inline code in references."""

    default_priority = 600

    def apply(self, **kwargs: Any) -> None:
        """Change the document."""
        docname = self.env.docname
        for node in list(self.document.findall(nodes.literal)):
            if isinstance(node.parent, (nodes.reference, pending_xref)):
                continue
            name = qualified_name(node.astext(), docname)
            if name is not None:
                node.replace_self(self.reference(name, node, docname))

    def reference(self, name: str, node: nodes.literal, docname: str) -> pending_xref:
        """Return a reference that shows the code."""
        made = pending_xref(
            "",
            node.deepcopy(),
            refdomain="py",
            reftype="obj",
            reftarget=name,
            refdoc=docname,
            refexplicit=True,
            refwarn=True,
        )
        made.source, made.line = node.source, node.line
        return made


def attribute_of(app: Any, env: Any, node: pending_xref, content: Any) -> Any:
    """Return a reference to a documented object for an attribute that has no entry of its own."""
    name = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not exists(name):
        return None
    owner, _, _ = name.rpartition(".")
    domain = env.get_domain("py")
    docname = node["refdoc"]
    return domain.resolve_xref(env, docname, app.builder, "obj", owner, node, content)


def setup(app: Any) -> dict[str, bool]:
    """Add the extension to a Sphinx application."""
    app.add_transform(CodeReferences)
    app.connect("missing-reference", attribute_of)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
